// Runs in the page: records what the cursor's line shows in each frame in which it changed, and when each key was
// pressed. Read by ghostTrace.ts.

(() => {
  const frames = [];
  const keys = [];
  let last = '';

  window.addEventListener('keydown', ({ key, timeStamp }) => keys.push({ key, at: timeStamp }), true);
  const watch = () => {
    const frame = look();
    const text = JSON.stringify(frame);
    if (frame !== undefined && text !== last) frames.push({ at: performance.now(), ...frame });
    last = text;
    requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);

  window.ghostTrace = () => ({ frames, keys });
  window.ghostNow = look;

  function look() {
    const editor = document.querySelector('.part.editor .monaco-editor[data-uri]');
    const cursor = editor?.querySelector('.cursors-layer .cursor');
    if (!cursor) return undefined;
    const line = [...editor.querySelectorAll('.view-lines > .view-line')].find(
      ({ style }) => style.top === cursor.style.top,
    );
    if (!line) return undefined;
    const spans = [...line.querySelectorAll('span > span')];
    const isGhost = (span) => /ghost-text/.test(span.className);
    const first = spans.findIndex(isGhost);
    const end = spans.findLastIndex(isGhost) + 1;
    // Only with a selected entry: an open list can also show only that it is loading.
    const list = document.querySelector('.suggest-widget.visible .monaco-list-row.focused') !== null;
    const text = (some) =>
      some
        .map(({ textContent }) => textContent)
        .join('')
        .replaceAll('\u00a0', ' ');
    const below = [...editor.querySelectorAll('.suggest-preview-text .view-line, .ghost-text .view-line')];
    return first < 0
      ? { before: text(spans), ghost: '', after: '', below: text(below), gap: 0, list }
      : {
          before: text(spans.slice(0, first)),
          ghost: text(spans.slice(first, end)),
          after: text(spans.slice(end)),
          below: text(below),
          // The cursor against the start of the ghost text, in pixels.
          gap: Math.round(cursor.getBoundingClientRect().left - spans[first].getBoundingClientRect().left),
          list,
        };
  }
})();
