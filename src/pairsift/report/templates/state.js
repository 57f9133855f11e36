// What is filtered and selected, and who wants to know when it changes.
const state = { kinds: new Set([0, 1, 2]), class: -1, group: -1, groupText: '', doubt: false, find: '', selected: -1, back: null };
const visible = new Uint8Array(points.count).fill(1);
let visibleCount = points.count;
const listeners = { filter: [], select: [] };

const on = (what, listener) => listeners[what].push(listener);
const tell = (what) => listeners[what].forEach((listener) => listener());

// Which sets of labels pass: one label, or with a text the labels that contain it (or are it, if one is).
function passing(coded, label, text) {
  if (!coded || (label < 0 && !text)) return null;
  const wanted = text.toLowerCase();
  const exact = coded.names.some((name) => name.toLowerCase() === wanted);
  const fits = coded.names.map((name, at) => {
    if (!text) return at === label;
    const lower = name.toLowerCase();
    return exact ? lower === wanted : lower.includes(wanted);
  });
  return coded.sets.map((set) => set.some((at) => fits[at]));
}

const asIndex = (text) => (/^\d+$/.test(text.trim()) ? Number(text) : -1);

function applyFilter() {
  const byClass = passing(classes, state.class, '');
  const byGroup = passing(groups, state.group, state.groupText);
  const find = state.find.trim().toLowerCase();
  const number = asIndex(find);
  const exact = find !== '' && Boolean(data.ids?.some((id) => id.toLowerCase() === find));
  visibleCount = 0;
  for (let i = 0; i < points.count; i++) {
    const shown =
      state.kinds.has(points.kind[i]) &&
      (!state.doubt || doubtful(i)) &&
      (!byClass || byClass[classes.of[i]]) &&
      (!byGroup || byGroup[groups.of[i]]) &&
      (!find || points.index[i] === number || (exact ? idOf(i).toLowerCase() === find : idOf(i).toLowerCase().includes(find)));
    visible[i] = shown ? 1 : 0;
    visibleCount += visible[i];
  }
  tell('filter');
}

// The worst visible pair: of the bad kinds the higher score, else the first normal one.
function worstVisible() {
  const firsts = [1, 2, 0].map((kind) => ranked[kind].find((i) => visible[i])).filter((i) => i !== undefined);
  const bad = firsts.filter((i) => points.kind[i] !== NORMAL);
  bad.sort((a, b) => known(points.score[b]) - known(points.score[a]));
  return (bad.length ? bad : firsts)[0] ?? -1;
}

function select(i, { say = true, back = null } = {}) {
  if (i < 0) return;
  state.selected = i;
  state.back = back;
  tell('select');
  if (say) announce(i);
}

function announce(i) {
  document.getElementById('live').textContent = describe(i);
}
