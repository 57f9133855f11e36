// The plane under a mouse or a finger: what is near is named, a click selects, a drag zooms.
const tip = document.getElementById('tip');
let press = null; // where a drag began

function nearest(x, y, most) {
  let best = -1;
  let least = most * most;
  for (let i = 0; i < points.count; i++) {
    if (!visible[i] || !onPlane(i) || !inView(i)) continue;
    const [dx, dy] = [toX(points.mean[i]) - x, toY(points.std[i]) - y];
    const distance = dx * dx + dy * dy;
    if (distance <= least) [best, least] = [i, distance];
  }
  return best;
}

function here(event) {
  const box = plane.node.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function showTip(i) {
  if (i === plane.hovered && !tip.hidden) return;
  plane.hovered = i;
  drawRings();
  tip.hidden = i < 0;
  if (i < 0) return;
  const box = plane.node.getBoundingClientRect();
  const lines = [`${pairName(i)} · ${KINDS[points.kind[i]]}`, idOf(i), labelsOf(classes, i), `mean ${number(points.mean[i])}, spread ${number(points.std[i])}`];
  tip.replaceChildren(...lines.filter(Boolean).map((line) => el('div', {}, line)));
  const x = Math.min(box.left + toX(points.mean[i]) + 14, document.documentElement.clientWidth - tip.offsetWidth - 8);
  tip.style.transform = `translate(${Math.max(8, x)}px, ${Math.max(8, box.top + toY(points.std[i]) - tip.offsetHeight - 12)}px)`;
}

function drawRubber(x, y) {
  plane.svg.querySelector('.rubber')?.remove();
  const [x0, y0] = press;
  const box = { x: Math.min(x, x0), y: Math.min(y, y0), width: Math.abs(x - x0), height: Math.abs(y - y0) };
  plane.svg.append(svg('rect', { class: 'rubber', ...box }));
}

function zoomToDrag(x, y) {
  const { left, top } = plane.edge;
  const inX = (v) => Math.max(left, Math.min(left + plane.width, v));
  const inY = (v) => Math.max(top, Math.min(top + plane.height, v));
  const xs = [fromX(inX(press[0])), fromX(inX(x))].sort((a, b) => a - b);
  const ys = [fromY(inY(press[1])), fromY(inY(y))].sort((a, b) => a - b);
  if (xs[1] > xs[0] && ys[1] > ys[0]) zoomTo({ x0: xs[0], x1: xs[1], y0: ys[0], y1: ys[1] });
}

function listenToPointer() {
  let frame = 0;
  plane.node.addEventListener('pointermove', (event) => {
    const [x, y] = here(event);
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      if (press && Math.hypot(x - press[0], y - press[1]) > 5) drawRubber(x, y);
      else if (event.pointerType === 'mouse') showTip(nearest(x, y, 18));
    });
  });
  plane.node.addEventListener('pointerleave', () => {
    cancelAnimationFrame(frame);
    showTip(-1);
  });
  plane.node.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || event.pointerType !== 'mouse') return;
    press = here(event);
    plane.node.setPointerCapture(event.pointerId);
  });
  plane.node.addEventListener('pointercancel', () => (press = null));
  plane.node.addEventListener('pointerup', (event) => {
    cancelAnimationFrame(frame);
    const [x, y] = here(event);
    plane.svg.querySelector('.rubber')?.remove();
    if (press && Math.abs(x - press[0]) > 5 && Math.abs(y - press[1]) > 5) zoomToDrag(x, y);
    else select(nearest(x, y, event.pointerType === 'mouse' ? 24 : 36));
    press = null;
  });
  plane.node.addEventListener('dblclick', () => zoomTo(plane.full));
  document.getElementById('zoom-out').addEventListener('click', () => {
    zoomTo(plane.full);
    plane.node.focus();
  });
}
