// The selected pair: what is known of it, its series and views, its loss over epochs.
const inspector = document.getElementById('inspector');
let ownScale = false;
const LONG = 12; // letters that still fit beside another fact

const WORDS = {
  noisy: 'Its views agree too easily: the loss stayed low or hardly varied.',
  faulty: 'Its views never came to agree: the loss stayed high.',
  normal: 'Nothing stands out.',
};

function step(by) {
  const order = ranked[points.kind[state.selected]].filter((i) => visible[i] || i === state.selected);
  const at = order.indexOf(state.selected) + by;
  return order[at] ?? -1;
}

function fact(name, value, wide = false) {
  return value === '' ? null : el('div', wide ? { class: 'wide' } : {}, el('dt', {}, name), el('dd', {}, el('bdi', {}, value)));
}

function facts(i) {
  return el(
    'dl',
    { class: 'facts' },
    fact('Id', idOf(i), true),
    fact('Class', labelsOf(classes, i), labelsOf(classes, i).length > LONG),
    fact('Group', labelsOf(groups, i), labelsOf(groups, i).length > LONG),
    points.row ? fact('Row', points.row[i].toLocaleString('en')) : null,
    points.planted ? fact('Planted', KINDS[points.planted[i]]) : null,
    fact('Score', share(points.score[i])),
    fact('Weight', share(points.weight[i])),
    fact('Mean loss', number(points.mean[i])),
    fact('Spread', number(points.std[i])),
    fact('Epochs seen', points.seen[i].toLocaleString('en')),
    done ? fact('Done', done.names[done.of[i]] || 'nothing', true) : null,
  );
}

function channelBlocks(rows) {
  const count = Math.max(...rows.map((row) => row.channels.length));
  return [...Array(count).keys()].map((at) => {
    const all = rows.filter((row) => row.channels[at]).map((row) => row.channels[at]);
    const range = ownScale ? 'each on its own scale' : `${number(Math.min(...all.map((c) => c.low)))} to ${number(Math.max(...all.map((c) => c.high)))}`;
    const name = data.channels > 1 ? `Channel ${at + 1} of ${data.channels}` : `${data.length.toLocaleString('en')} time steps`;
    return el('div', { class: 'channel' }, el('h4', {}, name, el('span', {}, range)), ...waves(rows, at, ownScale));
  });
}

function drawings(i) {
  const rows = drawing(i);
  if (!rows) {
    const drawn = Object.keys(data.series).length;
    return [el('p', { class: 'note' }, `This pair’s series is not in this page, which carries ${drawn.toLocaleString('en')} of ${data.pairs.toLocaleString('en')}. In Python it is x[${points.index[i]}].`)];
  }
  const box = el('input', { type: 'checkbox' });
  box.checked = ownScale;
  box.addEventListener('change', () => {
    ownScale = box.checked;
    showPair();
    inspector.querySelector('.toggle input')?.focus();
  });
  const blocks = el('div', { role: 'img', 'aria-label': `Curves of ${rows.map((row) => row.name.toLowerCase()).join(', ')} of ${pairName(i)}` }, ...channelBlocks(rows));
  return [blocks, el('label', { class: 'toggle' }, box, 'Each row on its own scale')];
}

function button(words, disabled, act) {
  const node = el('button', { type: 'button', class: 'quiet' }, words);
  node.disabled = disabled;
  node.addEventListener('click', act);
  return node;
}

function steps() {
  const nodes = [[-1, '← Previous'], [1, 'Next →']].map(([by, words]) => {
    const to = step(by);
    return button(words, to < 0, () => {
      select(to);
      const again = inspector.querySelectorAll('.steps button')[by < 0 ? 0 : 1];
      (again.disabled ? inspector : again).focus();
    });
  });
  const { back } = state;
  if (back) nodes.push(button('Back to the gallery', false, () => back.focus()));
  return el('div', { class: 'steps' }, ...nodes);
}

function showPair() {
  const i = state.selected;
  if (i < 0) {
    inspector.replaceChildren(el('p', { class: 'note' }, 'Select a pair to see it here.'));
    return;
  }
  const kind = KINDS[points.kind[i]];
  const order = ranked[points.kind[i]];
  const place = kind === 'normal' ? '' : ` ${(order.indexOf(i) + 1).toLocaleString('en')} of ${order.length.toLocaleString('en')} ${kind} here, the worst first.`;
  inspector.replaceChildren(
    el('h3', {}, mark(kind), `${pairName(i)}, ${kind}`),
    el('p', { class: 'what' }, WORDS[kind] + place),
    steps(),
    facts(i),
    ...drawings(i),
    ...ownTrace(i),
  );
}

function openPair() {
  if (state.selected < 0) return;
  inspector.focus({ preventScroll: true });
  inspector.scrollIntoView({ block: 'nearest' });
}
