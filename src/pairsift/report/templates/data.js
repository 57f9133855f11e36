// What the page carries, decoded: one typed array a column, one entry a shown pair.
const data = JSON.parse(document.getElementById('data').textContent);
const KINDS = ['normal', 'noisy', 'faulty'];
const NORMAL = 0;

function bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

const column = (text, Type) => new Type(bytes(text).buffer);

const points = {
  count: data.points.count,
  index: column(data.points.index, Uint32Array),
  kind: bytes(data.points.kind),
  seen: column(data.points.seen, Uint32Array),
  mean: column(data.points.mean_loss, Float32Array),
  std: column(data.points.std_loss, Float32Array),
  score: column(data.points.score, Float32Array),
  weight: column(data.points.weight, Float32Array),
  row: data.points.row ? column(data.points.row, Uint32Array) : null,
  planted: data.points.planted ? bytes(data.points.planted) : null,
};

// Labels (classes, groups): names, the sets of them that occur, and each pair's set.
function labelled(coded) {
  return coded && { ...coded, of: column(coded.of, Uint32Array) };
}
const classes = labelled(data.classes);
const groups = labelled(data.groups);
const done = data.done && { names: data.done.names, of: column(data.done.of, Uint32Array) };

const labelsOf = (coded, i) => (coded ? coded.sets[coded.of[i]].map((label) => coded.names[label]).join(', ') : '');
const idOf = (i) => (data.ids ? data.ids[i] : '');
const pairName = (i) => `Pair ${points.index[i].toLocaleString('en')}`;
const doubtful = (i) => data.doubt !== null && points.score[i] >= data.doubt[0] && points.score[i] < data.doubt[1];
const onPlane = (i) => Number.isFinite(points.mean[i]) && Number.isFinite(points.std[i]);

// Each kind's shown pairs, the worst first (normal ones: the most doubtful last); those off the plane at the end.
const known = (score) => (Number.isNaN(score) ? 0.5 : score);
const ranked = KINDS.map((_, kind) => {
  const order = [];
  for (let i = 0; i < points.count; i++) if (points.kind[i] === kind) order.push(i);
  const sign = kind === NORMAL ? 1 : -1;
  const tie = kind === 2 ? -1 : 1;
  return order.sort(
    (a, b) => onPlane(b) - onPlane(a) || sign * (known(points.score[a]) - known(points.score[b])) || tie * (points.mean[a] - points.mean[b]) || a - b,
  );
});

// A drawn pair's rows: [{name, channels: [{low, high, values}]}]; missing values are NaN.
function drawing(i) {
  const rows = data.series[i];
  return rows && rows.map(([name, channels]) => ({
    name,
    channels: channels.map(([low, high, text]) => {
      const levels = bytes(text);
      return { low, high, values: Float32Array.from(levels, (v) => (v === 255 ? NaN : low + (v / 254) * (high - low))) };
    }),
  }));
}
