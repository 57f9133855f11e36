// The mean-spread plane: points on a canvas; axes, thresholds, histogram and rings in SVG above it.
const plane = {
  node: document.getElementById('plane'),
  canvas: document.getElementById('points'),
  grid: document.getElementById('grid'),
  svg: document.getElementById('axes'),
  edge: { left: 54, right: 14, top: 58, bottom: 40 },
  strip: 40, // the histogram's height
  width: 0,
  height: 0,
  full: null,
  view: null, // {x0, x1, y0, y1}: what is shown
  hovered: -1,
  printing: false,
};
const PRINT = { normal: '#8a929c', noisy: '#0072b2', faulty: '#c04c08' };

function wholeExtent() {
  const box = { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity };
  for (let i = 0; i < points.count; i++) {
    if (!onPlane(i)) continue;
    box.x0 = Math.min(box.x0, points.mean[i]);
    box.x1 = Math.max(box.x1, points.mean[i]);
    box.y0 = Math.min(box.y0, points.std[i]);
    box.y1 = Math.max(box.y1, points.std[i]);
  }
  if (box.x0 > box.x1) Object.assign(box, { x0: 0, x1: 1, y0: 0, y1: 1 });
  const spanX = box.x1 - box.x0 || Math.abs(box.x0) || 1;
  const spanY = box.y1 - box.y0 || Math.abs(box.y0) || 1;
  const low = Math.max(0, box.y0 - 0.05 * spanY); // a spread is never negative
  return { x0: box.x0 - 0.03 * spanX, x1: box.x1 + 0.03 * spanX, y0: low, y1: box.y1 + 0.05 * spanY };
}

const toX = (mean) => plane.edge.left + ((mean - plane.view.x0) / (plane.view.x1 - plane.view.x0)) * plane.width;
const toY = (std) => plane.edge.top + (1 - (std - plane.view.y0) / (plane.view.y1 - plane.view.y0)) * plane.height;
const fromX = (x) => plane.view.x0 + ((x - plane.edge.left) / plane.width) * (plane.view.x1 - plane.view.x0);
const fromY = (y) => plane.view.y0 + (1 - (y - plane.edge.top) / plane.height) * (plane.view.y1 - plane.view.y0);
const inView = (i) =>
  points.mean[i] >= plane.view.x0 && points.mean[i] <= plane.view.x1 && points.std[i] >= plane.view.y0 && points.std[i] <= plane.view.y1;

// A mark of a kind, drawn once and then stamped: a dot, a triangle, a square.
function stamp(kind, size, alpha, scale) {
  const side = Math.ceil((2 * size + 3) * scale);
  const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side });
  const pen = canvas.getContext('2d');
  const name = KINDS[kind];
  pen.fillStyle = plane.printing ? PRINT[name] : getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
  pen.globalAlpha = alpha;
  pen.translate(side / 2, side / 2);
  pen.scale(scale, scale);
  pen.beginPath();
  if (kind === NORMAL) pen.arc(0, 0, size, 0, 7);
  else if (kind === 1) {
    pen.moveTo(-1.15 * size, -0.9 * size);
    pen.lineTo(1.15 * size, -0.9 * size);
    pen.lineTo(0, 1.1 * size);
  } else pen.rect(-0.9 * size, -0.9 * size, 1.8 * size, 1.8 * size);
  pen.fill();
  return canvas;
}

function drawPoints() {
  const scale = Math.max(window.devicePixelRatio || 1, plane.printing ? 2 : 1);
  const { clientWidth, clientHeight } = plane.node;
  plane.canvas.width = Math.round(clientWidth * scale);
  plane.canvas.height = Math.round(clientHeight * scale);
  const pen = plane.canvas.getContext('2d');
  const [right, bottom] = [plane.edge.left + plane.width, plane.edge.top + plane.height];
  pen.beginPath();
  pen.rect((plane.edge.left - 1) * scale, (plane.edge.top - 1) * scale, (plane.width + 2) * scale, (plane.height + 2) * scale);
  pen.clip();
  const crowd = points.count - ranked[NORMAL].length;
  const many = points.count > 6000 ? 0 : points.count > 1200 ? 1 : 2;
  const sizes = [[1.4, 2, 2.8][many], [3, 3.6, 4.4][many], [2.7, 3.2, 4][many]];
  const alphas = [[0.42, 0.5, 0.65][many], [0.6, 0.75, 0.85][many], [0.6, 0.75, 0.85][many]];
  if (crowd > 3000) alphas[1] = alphas[2] = 0.38;
  const ghost = stamp(NORMAL, sizes[0], 0.1, scale);
  for (const kind of [0, 1, 2]) {
    if (!state.kinds.has(kind)) continue;
    const drawn = stamp(kind, sizes[kind], alphas[kind], scale);
    for (let i = 0; i < points.count; i++) {
      if (points.kind[i] !== kind || !onPlane(i)) continue;
      const [x, y] = [toX(points.mean[i]), toY(points.std[i])];
      if (x < plane.edge.left - 6 || x > right + 6 || y < plane.edge.top - 6 || y > bottom + 6) continue;
      const image = visible[i] ? drawn : ghost;
      pen.drawImage(image, Math.round(x * scale - image.width / 2), Math.round(y * scale - image.height / 2));
    }
  }
}

// How many pairs have which mean loss, all pairs of the shown kinds, one kind on the other.
function densityPaths() {
  const group = svg('g', { class: 'density' });
  if (!data.density) return group;
  const { low, high, counts } = data.density;
  const bins = counts[0].length;
  const edge = (bin) => low + ((high - low) * bin) / bins;
  const shown = [0, 1, 2].filter((kind) => state.kinds.has(kind));
  const within = [...Array(bins).keys()].filter((bin) => edge(bin + 1) > plane.view.x0 && edge(bin) < plane.view.x1);
  const most = Math.max(1, ...within.map((bin) => shown.reduce((sum, kind) => sum + counts[kind][bin], 0)));
  const base = plane.edge.top - 8;
  const clamp = (x) => Math.max(plane.edge.left, Math.min(plane.edge.left + plane.width, x)).toFixed(1);
  const under = new Float64Array(bins);
  for (const kind of shown) {
    let path = '';
    for (const bin of within) {
      const count = counts[kind][bin];
      if (!count) continue;
      const bottom = base - (under[bin] / most) * plane.strip;
      const top = base - ((under[bin] + count) / most) * plane.strip;
      path += `M${clamp(toX(edge(bin)))} ${bottom.toFixed(1)}V${top.toFixed(1)}H${clamp(toX(edge(bin + 1)))}V${bottom.toFixed(1)}z`;
      under[bin] += count;
    }
    group.append(svg('path', { class: KINDS[kind], d: path }));
  }
  return group;
}

function gridLines() {
  const { left, top } = plane.edge;
  const [right, bottom] = [left + plane.width, top + plane.height];
  const across = ticks(plane.view.x0, plane.view.x1, Math.max(3, plane.width / 90));
  const up = ticks(plane.view.y0, plane.view.y1, Math.max(3, plane.height / 45));
  const lines = [...across.values.map((value) => `M${toX(value)} ${top}V${bottom}`), ...up.values.map((value) => `M${left} ${toY(value)}H${right}`)];
  plane.grid.replaceChildren(svg('path', { class: 'grid', d: lines.join('') }));
  return { across, up };
}

function axisLines({ across, up }) {
  const { left, top } = plane.edge;
  const [right, bottom] = [left + plane.width, top + plane.height];
  const group = svg('g');
  for (const value of across.values) {
    group.append(svg('text', { x: toX(value), y: bottom + 17, 'text-anchor': 'middle' }, across.text(value)));
  }
  for (const value of up.values) {
    group.append(svg('text', { x: left - 8, y: toY(value) + 4, 'text-anchor': 'end' }, up.text(value)));
  }
  group.append(svg('path', { class: 'axis', d: `M${left} ${bottom}H${right}` }));
  group.append(svg('text', { x: right, y: bottom + 34, 'text-anchor': 'end' }, 'mean loss →'));
  group.append(svg('text', { x: 0, y: top - 10 }, '↑ spread'));
  return group;
}

// The thresholds: a cut through the mean, or lines in the plane, each with its name.
function cutLines() {
  const group = svg('g', { 'clip-path': 'url(#plane-clip)' });
  const names = svg('g');
  const { left, top } = plane.edge;
  const right = left + plane.width;
  for (const kind of ['noisy', 'faulty']) {
    const cut = data.thresholds[kind];
    if (cut === null || cut < plane.view.x0 || cut > plane.view.x1) continue;
    const x = toX(cut);
    group.append(svg('path', { class: `cut ${kind}`, d: `M${x} ${top - 8 - plane.strip}V${top + plane.height}` }));
    const before = kind === 'noisy' ? x - left > 110 : right - x < 110;
    const text = `${kind} ${kind === 'noisy' ? 'below' : 'above'} ${number(cut)}`;
    names.append(svg('text', { class: `halo ${kind}`, x: before ? x - 6 : x + 6, y: top + (kind === 'noisy' ? 14 : 28), 'text-anchor': before ? 'end' : 'start' }, text));
  }
  for (const line of data.thresholds.boundaries) {
    const ys = line.std.map(toY);
    group.append(svg('path', { class: `cut ${line.kind}`, d: curve(line.mean.map(toX), ys) }));
    const at = line.mean.findIndex((mean, k) => mean >= plane.view.x0 && mean <= plane.view.x1 && line.std[k] >= plane.view.y0 && line.std[k] <= plane.view.y1);
    if (at >= 0) {
      const x = toX(line.mean[at]);
      const end = x > right - 60;
      names.append(svg('text', { class: `halo ${line.kind}`, x: end ? x - 6 : x + 6, y: Math.max(ys[at] + 4, top + 14), 'text-anchor': end ? 'end' : 'start' }, line.kind));
    }
  }
  const clip = svg('clipPath', { id: 'plane-clip' }, svg('rect', { x: left, y: 0, width: plane.width, height: top + plane.height }));
  return svg('g', {}, clip, group, names);
}

function drawRings() {
  plane.svg.querySelector('.rings')?.remove();
  const group = svg('g', { class: 'rings' });
  for (const [i, name] of [[plane.hovered, 'ring hover'], [state.selected, 'ring']]) {
    if (i >= 0 && onPlane(i) && inView(i)) group.append(svg('circle', { class: name, cx: toX(points.mean[i]), cy: toY(points.std[i]), r: 8 }));
  }
  plane.svg.append(group);
}

function drawPlane() {
  const { left, right, top, bottom } = plane.edge;
  plane.width = Math.max(plane.node.clientWidth - left - right, 10);
  plane.height = Math.max(plane.node.clientHeight - top - bottom, 10);
  for (const layer of [plane.grid, plane.svg]) layer.setAttribute('viewBox', `0 0 ${plane.node.clientWidth} ${plane.node.clientHeight}`);
  plane.node.style.setProperty('--ratio', plane.node.clientWidth / plane.node.clientHeight); // paper keeps it
  drawPoints();
  plane.svg.replaceChildren(axisLines(gridLines()), densityPaths(), cutLines());
  drawRings();
}

function zoomTo(view) {
  plane.view = view;
  document.getElementById('zoom-out').hidden = view === plane.full;
  drawPlane();
}
