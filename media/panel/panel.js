// The script of the statistics panel: puts the HTML that the extension sends into its places, and sends the button's
// clicks. It computes nothing and keeps nothing.

(() => {
  const editor = acquireVsCodeApi();
  /** @type {WeakMap<Element, string>} */
  const drawn = new WeakMap();
  const button = document.getElementById('compare');
  if (!(button instanceof HTMLButtonElement)) throw new Error('Expected the compare button.');

  window.addEventListener('message', ({ data }) => {
    for (const [id, html] of Object.entries(data.sections)) {
      const place = document.getElementById(id);
      // Leaves unchanged parts alone: the scroll position, the selection, what a screen reader reads.
      if (place === null || drawn.get(place) === html) continue;
      drawn.set(place, html);
      const { scrollLeft: left = 0, scrollTop: top = 0 } = place.querySelector('.scroll') ?? {};
      place.innerHTML = html;
      place.querySelector('.scroll')?.scrollTo(left, top);
    }
    button.disabled = data.comparing;
  });
  button.addEventListener('click', () => {
    editor.postMessage({ type: 'compare' });
  });

  editor.postMessage({ type: 'ready' });
})();
