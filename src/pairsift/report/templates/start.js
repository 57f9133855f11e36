// Everything is set going here.
on('filter', drawPlane);
on('select', () => {
  if (state.selected >= 0 && onPlane(state.selected) && !inView(state.selected)) zoomTo(plane.full);
  else drawRings();
});
on('select', showPair);

plane.full = plane.view = wholeExtent();
startFilters();
startGalleries();
startEpochs();
listenToPointer();
listenToKeys();
applyFilter();
const worst = worstVisible();
if (worst >= 0) select(worst, { say: false });
else showPair();

let waiting = 0;
new ResizeObserver(() => {
  const [width, height] = [plane.node.clientWidth, plane.node.clientHeight];
  if (plane.svg.getAttribute('viewBox') === `0 0 ${width} ${height}`) return; // as it is drawn
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(drawPlane);
}).observe(plane.node);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawPlane);
for (const [event, printing] of [['beforeprint', true], ['afterprint', false]]) {
  window.addEventListener(event, () => {
    plane.printing = printing;
    drawPlane();
  });
}
document.documentElement.dataset.ready = String(Math.round(performance.now()));
