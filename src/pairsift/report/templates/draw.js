// Small helpers that make elements, numbers and curves. Users' words enter the page only as text.
const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) if (value !== null) node.setAttribute(name, value);
  node.append(...children.filter((child) => child !== null && child !== ''));
  return node;
}
const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const mark = (kind) =>
  svg('svg', { class: `mark ${kind}`, viewBox: '0 0 12 12', 'aria-hidden': 'true' }, svg('use', { href: `#mark-${kind}` }));

function number(value, figures = 3) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-4) return value.toExponential(figures - 1).replace('-', '−');
  return value.toLocaleString('en', { maximumSignificantDigits: figures }).replace('-', '−');
}

const share = (value) => (Number.isFinite(value) ? value.toFixed(2) : '–');

function describe(i) {
  const words = [`${pairName(i)}, ${KINDS[points.kind[i]]}`];
  if (idOf(i)) words.push(idOf(i));
  if (labelsOf(classes, i)) words.push(`class ${labelsOf(classes, i)}`);
  if (labelsOf(groups, i)) words.push(`group ${labelsOf(groups, i)}`);
  words.push(`mean loss ${number(points.mean[i])}, spread ${number(points.std[i])}, score ${share(points.score[i])}`);
  return words.join('. ');
}

// Round numbers within [low, high], about `count` of them, and how many decimals they need.
function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const decimals = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));
  const values = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) values.push(k * step);
  return { values, text: (value) => (Math.abs(value) >= 1e5 ? number(value) : value.toFixed(decimals).replace('-', '−')) };
}

// A curve's path; it breaks where a value is missing.
function curve(xs, ys) {
  let path = '';
  let pen = 'M';
  for (let i = 0; i < ys.length; i++) {
    if (!Number.isFinite(ys[i])) {
      pen = 'M';
      continue;
    }
    path += `${pen}${xs[i].toFixed(1)} ${ys[i].toFixed(1)}`;
    pen = 'L';
  }
  return path;
}

// One channel of one row as a small drawing, between low and high.
function wave(channel, low, high, series) {
  const [width, height, pad] = [256, 40, 2];
  const span = high - low || 1;
  const last = Math.max(channel.values.length - 1, 1);
  const xs = Array.from(channel.values, (_, at) => (at / last) * width);
  const ys = Array.from(channel.values, (value) => height - pad - ((value - low) / span) * (height - 2 * pad));
  const zero = low < 0 && high > 0 ? height - pad - ((0 - low) / span) * (height - 2 * pad) : null;
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    zero === null ? null : svg('path', { class: 'zero', d: `M0 ${zero.toFixed(1)}H${width}` }),
    svg('path', { class: series ? 'wave series' : 'wave', d: curve(xs, ys) }),
  );
}

const isSeries = (row) => !row.name.startsWith('View');

// The rows of one channel, one under the other, on one scale or each on its own.
function waves(rows, at, own) {
  const channels = rows.filter((row) => row.channels[at]);
  const low = Math.min(...channels.map((row) => row.channels[at].low));
  const high = Math.max(...channels.map((row) => row.channels[at].high));
  return channels.map((row) => {
    const channel = row.channels[at];
    const drawn = own ? wave(channel, channel.low, channel.high, isSeries(row)) : wave(channel, low, high, isSeries(row));
    return el('span', { class: 'row' }, el('span', {}, row.name), drawn);
  });
}
