// The filter bar, and the shares' tables whose names filter too.
const form = document.getElementById('filters');
const FEW = 60; // groups that still fit into a list to pick from

function offer(select, coded, all) {
  select.append(el('option', { value: '-1' }, all), ...coded.names.map((name, at) => el('option', { value: at }, name)));
}

function startFilters() {
  if (classes?.names.length) {
    document.getElementById('class-field').hidden = false;
    offer(form.elements.class, classes, 'all');
  }
  if (groups?.names.length && groups.names.length <= FEW) {
    document.getElementById('group-field').hidden = false;
    offer(form.elements.group, groups, 'all');
  } else if (groups?.names.length) {
    document.getElementById('group-find').hidden = false;
    document.getElementById('group-names').append(...groups.names.slice(0, 300).map((name) => el('option', { value: name })));
  }
  form.elements.find.placeholder = data.ids ? 'index or id' : 'index';
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', readFilters);
  form.querySelector('[type=reset]').addEventListener('click', (event) => {
    event.preventDefault(); // by itself the fields would change only after all listeners
    form.reset();
    readFilters();
  });
  form.elements.find.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    readFilters();
    const named = points.index.indexOf(asIndex(state.find));
    select(named >= 0 && visible[named] ? named : worstVisible());
  });
  on('filter', () => {
    const count = (value) => value.toLocaleString('en');
    document.getElementById('shown').textContent = `${count(visibleCount)} of ${count(data.pairs)} pairs shown`;
  });
  startShareFilters();
}

function readFilters() {
  const { elements } = form;
  state.kinds = new Set([...elements.kind].filter((box) => box.checked).map((box) => KINDS.indexOf(box.value)));
  state.class = Number(elements.class.value || -1);
  state.group = Number(elements.group.value || -1);
  state.groupText = elements['group-text'].value.trim();
  state.doubt = Boolean(elements.doubt?.checked);
  state.find = elements.find.value;
  applyFilter();
  if (state.selected >= 0 && !visible[state.selected]) select(worstVisible(), { say: false });
}

function startShareFilters() {
  for (const node of document.querySelectorAll('[data-filter]')) {
    const coded = node.dataset.filter === 'class' ? classes : groups;
    const at = coded ? coded.labels.indexOf(Number(node.dataset.label)) : -1;
    node.disabled = at < 0;
    node.addEventListener('click', () => {
      form.reset();
      if (node.dataset.filter === 'class') form.elements.class.value = String(at);
      else if (coded.names.length <= FEW) form.elements.group.value = String(at);
      else form.elements['group-text'].value = coded.names[at];
      readFilters();
      select(worstVisible());
      document.getElementById('explore').scrollIntoView();
      plane.node.focus({ preventScroll: true });
    });
  }
}
