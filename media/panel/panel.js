// The script of the statistics panel: puts the HTML that the extension sends into its places, and sends the buttons'
// clicks. It computes nothing and keeps nothing.

(() => {
  const editor = acquireVsCodeApi();
  /** @type {WeakMap<Element, string>} */
  const drawn = new WeakMap();
  const [compare, again] = ['compare', 'again'].map((id) => {
    const button = document.getElementById(id);
    if (!(button instanceof HTMLButtonElement)) throw new Error(`Expected the button ${id}.`);
    return button;
  });

  /** @param {{ sections: Record<string, string>, comparing: boolean, explained: boolean }} message */
  const draw = ({ sections, comparing, explained }) => {
    for (const [id, html] of Object.entries(sections)) {
      const place = document.getElementById(id);
      // Leaves unchanged parts alone: the scroll position, the selection, what a screen reader reads.
      if (place === null || drawn.get(place) === html) continue;
      drawn.set(place, html);
      const { scrollLeft: left = 0, scrollTop: top = 0 } = place.querySelector('.scroll') ?? {};
      place.innerHTML = html;
      place.querySelector('.scroll')?.scrollTo(left, top);
    }
    compare.disabled = comparing;
    again.disabled = comparing || !explained;
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
  again.addEventListener('click', () => {
    editor.postMessage({ type: 'compare' });
    document.getElementById('comparison')?.scrollIntoView({ block: 'center' });
  });

  editor.postMessage({ type: 'ready' });
})();
