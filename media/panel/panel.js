// The script of the statistics panel: puts the HTML that the extension sends into its places, and sends the buttons'
// clicks. It computes nothing, and keeps only the HTML that it has put in place.

(() => {
  const editor = acquireVsCodeApi();
  /** @type {WeakMap<Element, string>} */
  const drawn = new WeakMap();
  const compare = document.getElementById('compare');
  if (!(compare instanceof HTMLButtonElement)) throw new Error('Expected the button to compare.');

  /** @param {{ sections: Record<string, string>, comparing: boolean }} message */
  const draw = ({ sections, comparing }) => {
    for (const [id, html] of Object.entries(sections)) {
      const place = document.getElementById(id);
      // Leaves unchanged sections alone, to keep their scroll position and selection and not to disturb screen readers.
      if (place === null || drawn.get(place) === html) continue;
      drawn.set(place, html);
      const { scrollLeft: left = 0, scrollTop: top = 0 } = place.querySelector('.scroll') ?? {};
      place.innerHTML = html;
      place.querySelector('.scroll')?.scrollTo(left, top);
    }
    compare.disabled = comparing;
  };
  /** @param {string} section */
  const goTo = (section) => {
    const title = document.getElementById(`${section}-title`);
    title?.scrollIntoView();
    title?.focus({ preventScroll: true });
  };
  window.addEventListener('message', ({ data }) => {
    if (data.goTo === undefined) draw(data);
    else goTo(data.goTo);
  });
  compare.addEventListener('click', () => {
    editor.postMessage({ type: 'compare' });
  });

  editor.postMessage({ type: 'ready' });
})();
