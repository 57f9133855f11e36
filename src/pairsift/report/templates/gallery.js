// The galleries: of each kind the worst drawn pairs that the filter lets through.
const galleries = [];
const FIRST = 6;
const MORE = 18;

function card(i) {
  const rows = drawing(i);
  const words = [labelsOf(classes, i), labelsOf(groups, i)].filter(Boolean).join(' · ');
  const node = el(
    'button',
    { type: 'button', class: 'card', 'data-pair': i, 'aria-pressed': String(i === state.selected), 'aria-label': describe(i) },
    el('span', { class: 'head' }, el('b', {}, el('bdi', {}, idOf(i) || pairName(i))), el('span', {}, `score ${share(points.score[i])}`)),
    ...waves(rows.filter(isSeries), 0, false),
    ...waves(rows.filter((row) => !isSeries(row)), 0, false),
    words ? el('span', { class: 'foot' }, el('bdi', {}, words)) : null,
  );
  node.addEventListener('click', () => {
    select(i, { back: node });
    if (inspector.getBoundingClientRect().bottom < 80 || inspector.getBoundingClientRect().top > window.innerHeight - 80) openPair();
  });
  return node;
}

function showGallery(gallery) {
  const all = data.gallery[gallery.list] ?? [];
  const fitting = all.filter((i) => visible[i]);
  gallery.node.hidden = !state.kinds.has(gallery.kind) || !all.length;
  if (gallery.node.hidden) return;
  const held = new Map([...gallery.cards.children].map((node) => [Number(node.dataset?.pair ?? -1), node]));
  const now = fitting.slice(0, gallery.room).map((i) => held.get(i) ?? card(i));
  gallery.cards.replaceChildren(...(now.length ? now : [el('p', { class: 'note' }, 'None of the drawn pairs passes the filter.')]));
  gallery.count.textContent = `${now.length.toLocaleString('en')} of ${fitting.length.toLocaleString('en')} drawn`;
  gallery.more.hidden = now.length >= fitting.length;
}

function startGalleries() {
  for (const node of document.querySelectorAll('.gallery')) {
    const gallery = {
      node,
      kind: KINDS.indexOf(node.dataset.kind),
      list: node.dataset.list,
      cards: node.querySelector('.cards'),
      count: node.querySelector('.count'),
      more: node.querySelector('.more'),
      room: FIRST,
    };
    gallery.more.addEventListener('click', () => {
      const first = gallery.room;
      gallery.room += MORE;
      showGallery(gallery);
      gallery.cards.children[first]?.focus();
    });
    galleries.push(gallery);
  }
  on('filter', () => {
    for (const gallery of galleries) {
      gallery.room = FIRST;
      showGallery(gallery);
    }
  });
  on('select', () => {
    for (const node of document.querySelectorAll('.card')) node.setAttribute('aria-pressed', String(Number(node.dataset.pair) === state.selected));
  });
}
