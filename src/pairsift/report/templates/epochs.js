// The losses over epochs: one panel a kind, and the selected pair's own line where it was followed.
const frame = { width: 340, height: 200, left: 38, right: 8, top: 8, bottom: 34 };

function epochScales() {
  const { epochs, bands } = data.history;
  const values = Object.values(bands).flatMap((band) => [...band.quantiles[0], ...band.quantiles[4]]).filter((value) => value !== null);
  const [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
  const span = high - low || Math.abs(low) || 1;
  const [first, last] = [epochs[0], epochs[epochs.length - 1]];
  const inner = frame.width - frame.left - frame.right;
  const tall = frame.height - frame.top - frame.bottom;
  const [y0, y1] = [low - 0.04 * span, high + 0.04 * span];
  const x = (epoch) => frame.left + (last > first ? (epoch - first) / (last - first) : 0.5) * inner;
  const y = (loss) => frame.top + (1 - (loss - y0) / (y1 - y0)) * tall;
  return { x, y, y0, y1, first, last, span: y1 - y0 };
}

function epochAxes(scale) {
  const group = svg('g');
  const bottom = frame.height - frame.bottom;
  const up = ticks(scale.y0, scale.y1, 4);
  for (const value of up.values) {
    group.append(svg('path', { class: 'grid', d: `M${frame.left} ${scale.y(value)}H${frame.width - frame.right}` }));
    group.append(svg('text', { x: frame.left - 6, y: scale.y(value) + 4, 'text-anchor': 'end' }, up.text(value)));
  }
  const across = scale.last > scale.first ? ticks(scale.first, scale.last, 5).values.filter(Number.isInteger) : [scale.first];
  for (const value of across) group.append(svg('text', { x: scale.x(value), y: bottom + 15, 'text-anchor': 'middle' }, String(value)));
  group.append(svg('text', { x: frame.width - frame.right, y: bottom + 30, 'text-anchor': 'end' }, 'epoch →'));
  group.append(svg('path', { class: 'axis', d: `M${frame.left} ${bottom}H${frame.width - frame.right}` }));
  const { warmup } = data.history;
  if (warmup !== null && warmup >= scale.first && warmup < scale.last - 1) {
    const x = scale.x(warmup + 0.5);
    group.append(svg('path', { class: 'warmup', d: `M${x} ${frame.top}V${bottom}` }));
    const clear = Math.min(x, frame.width - frame.right - 97); // of the axis's name
    group.append(svg('text', { x: clear, y: bottom + 30, 'text-anchor': 'middle' }, 'weighing begins'));
  }
  return group;
}

// Between two quantiles; an epoch without a value is left out.
function bandPath(scale, low, high) {
  const at = data.history.epochs.map((_, k) => k).filter((k) => low[k] !== null && high[k] !== null);
  const up = at.map((k) => `${scale.x(data.history.epochs[k]).toFixed(1)} ${scale.y(high[k]).toFixed(1)}`);
  const down = at.reverse().map((k) => `${scale.x(data.history.epochs[k]).toFixed(1)} ${scale.y(low[k]).toFixed(1)}`);
  return up.length ? `M${[...up, ...down].join('L')}z` : '';
}

function panel(kind, scale) {
  const band = data.history.bands[kind];
  if (!band) return null;
  const xs = data.history.epochs.map(scale.x);
  const line = (quantile) => curve(xs, quantile.map((value) => (value === null ? NaN : scale.y(value))));
  const [q05, q25, q50, q75, q95] = band.quantiles;
  const reference = kind !== 'normal' && data.history.bands.normal;
  const end = q50.findLast((value) => value !== null) ?? NaN;
  const label = `Loss of ${kind} pairs over epochs ${scale.first} to ${scale.last}: the median goes from ${number(q50.find((value) => value !== null) ?? NaN)} to ${number(end)}`;
  return el(
    'div',
    { class: 'panel' },
    el('h3', {}, mark(kind), kind, el('span', { class: 'count' }, `${band.pairs.toLocaleString('en')} followed`)),
    svg(
      'svg',
      { viewBox: `0 0 ${frame.width} ${frame.height}`, role: 'img', 'aria-label': label },
      epochAxes(scale),
      svg('path', { class: `band ${kind}`, d: bandPath(scale, q05, q95) }),
      svg('path', { class: `band inner ${kind}`, d: bandPath(scale, q25, q75) }),
      reference ? svg('path', { class: 'median reference', d: line(reference.quantiles[2]) }) : null,
      svg('path', { class: `median ${kind}`, d: line(q50) }),
    ),
  );
}

function startEpochs() {
  if (!data.history) return;
  const scale = epochScales();
  document.getElementById('epochs').append(...['noisy', 'normal', 'faulty'].map((kind) => panel(kind, scale)).filter(Boolean));
  const sub = document.getElementById('epochs-sub');
  if (data.history.bands.normal && Object.keys(data.history.bands).length > 1) sub.append(' Dashed: the median of the normal pairs.');
  if (data.history.pairs < data.pairs) sub.append(` Followed were ${data.history.pairs.toLocaleString('en')} of ${data.pairs.toLocaleString('en')} pairs.`);
}

// One pair's loss over epochs, before the normal pairs' middle half.
function ownTrace(i) {
  const text = data.history?.lines[points.index[i]];
  if (!text) return [];
  const losses = column(text, Float32Array);
  const whole = losses.filter(Number.isFinite);
  if (!whole.length) return [];
  const { bands, epochs } = data.history;
  const scale = epochScales();
  const low = Math.min(scale.y0, ...whole);
  const high = Math.max(scale.y1, ...whole);
  const tall = frame.height - frame.top - frame.bottom;
  const own = { ...scale, y0: low, y1: high, y: (loss) => frame.top + (1 - (loss - low) / (high - low)) * tall };
  const drawn = svg('svg', { viewBox: `0 0 ${frame.width} ${frame.height}`, role: 'img', 'aria-label': `Loss of ${pairName(i)} over epochs` }, epochAxes(own));
  if (bands.normal) drawn.append(svg('path', { class: 'band normal', d: bandPath(own, bands.normal.quantiles[0], bands.normal.quantiles[4]) }));
  drawn.append(svg('path', { class: 'own', d: curve(epochs.map(own.x), Array.from(losses, own.y)) }));
  if (whole.length === 1) losses.forEach((loss, k) => Number.isFinite(loss) && drawn.append(svg('circle', { class: 'own-dot', cx: own.x(epochs[k]), cy: own.y(loss), r: 3 })));
  const words = bands.normal ? 'Its loss over epochs; grey: the middle 90% of the normal pairs' : 'Its loss over epochs';
  return [el('div', { class: 'trace' }, el('h4', {}, words), drawn)];
}
