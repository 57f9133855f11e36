// The plane under a keyboard: arrows go to the next mark in their direction, Enter opens its pair.
const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// The nearest visible mark that way: what lies ahead counts once, what lies aside three times.
function next(from, [dx, dy]) {
  const [x, y] = [toX(points.mean[from]), toY(points.std[from])];
  let best = -1;
  let least = Infinity;
  for (let i = 0; i < points.count; i++) {
    if (i === from || !visible[i] || !onPlane(i) || !inView(i)) continue;
    const [ax, ay] = [toX(points.mean[i]) - x, toY(points.std[i]) - y];
    const ahead = ax * dx + ay * dy;
    const aside = Math.abs(ax * dy) + Math.abs(ay * dx);
    if (ahead < 1) continue;
    const distance = ahead + 3 * aside;
    if (distance < least) [best, least] = [i, distance];
  }
  return best;
}

function zoomBy(factor) {
  const { x0, x1, y0, y1 } = plane.view;
  const i = state.selected;
  const centred = i >= 0 && onPlane(i) && inView(i);
  const [cx, cy] = centred ? [points.mean[i], points.std[i]] : [(x0 + x1) / 2, (y0 + y1) / 2];
  const width = (x1 - x0) * factor;
  if (width >= plane.full.x1 - plane.full.x0) zoomTo(plane.full);
  else zoomTo({ x0: cx - (cx - x0) * factor, x1: cx + (x1 - cx) * factor, y0: cy - (cy - y0) * factor, y1: cy + (y1 - cy) * factor });
}

function listenToKeys() {
  plane.node.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = state.selected;
    const lost = at < 0 || !visible[at] || !onPlane(at) || !inView(at);
    if (ARROWS[event.key]) select(lost ? nearest(plane.edge.left, plane.edge.top, Infinity) : next(at, ARROWS[event.key]));
    else if (event.key === 'Home') select(worstVisible());
    else if (event.key === 'Enter') openPair();
    else if (event.key === '+' || event.key === '=') zoomBy(0.5);
    else if (event.key === '-') zoomBy(2);
    else if (event.key === '0' || event.key === 'Escape') zoomTo(plane.full);
    else return;
    event.preventDefault();
  });
}
