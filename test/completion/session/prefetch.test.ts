// Tests the cursor that a prefetch prepares for, and the edits after which it goes on.
import assert from 'node:assert/strict';
import { completionContext } from '../../../server/completion/prompt/context';
import { PowerPolicy } from '../../../server/completion/session/powerPolicy';
import { acceptedCursor, Prefetch } from '../../../server/completion/session/prefetch';
import { DEFAULT_SETTINGS } from '../../../server/hosting/settings';
import { markedDocument } from '../../support/cursor';
import { gate } from '../../support/gate';

const FILE = { uri: 'file:///a.html', fileName: 'a.html', languageId: 'html' };

/**
 * Returns the expected cursor after `text` was accepted at the ║. `entry` has the text of the selected entry, and the
 * numbers of characters that it replaces before and after the cursor.
 */
function accepted(
  marked: string,
  text: string,
  replacesAfter = 0,
  entry?: readonly [string, number, number?],
) {
  const { text: before, offset } = markedDocument(marked);
  const [entryText = '', lengthBefore = 0, lengthAfter = 0] = entry ?? [];
  const selected = entry && { start: offset - lengthBefore, end: offset + lengthAfter, text: entryText };
  const document = { ...FILE, text: before };
  return acceptedCursor(document, completionContext(document, offset, { selected }), { text, replacesAfter });
}

describe('the cursor after an accepted suggestion', () => {
  for (const [marked, text, replacesAfter, expected, entry] of [
    ['f(║)\n', 'a', 0, 'f(a║)\n'],
    ['f(║)\n', 'a);', 1, 'f(a);║\n'],
    ['a.si║\n', 'size()', 0, 'a.size()║\n', ['size', 2]],
    ['{"na║"}', '"name": 1', 0, '{"name": 1║}', ['"name": ', 3, 1]],
    ['f(na║)\n', 'name);', 1, 'f(name);║\n', ['name', 2]],
    ['<a hr║>\n', 'href=""', 0, '<a href="║">\n', ['href=""', 2]],
  ] as const)
    it(`is at the ║ in ${JSON.stringify(expected)}`, () => {
      const { document, context } = accepted(marked, text, replacesAfter, entry);
      const { offset } = context;
      assert.equal(`${document.text.slice(0, offset)}║${document.text.slice(offset)}`, expected);
    });
});

describe('a prefetch', () => {
  interface Started {
    readonly prefetch: Prefetch;
    readonly signals: readonly AbortSignal[];
    /** Ends the newest request. */
    readonly end: () => void;
  }

  async function started(isIdle = true, settled = Promise.resolve()): Promise<Started> {
    const signals: AbortSignal[] = [];
    let end = (): void => undefined;
    const prefetch = new Prefetch({
      settle: () => settled,
      isIdle: () => isIdle,
      power: new PowerPolicy(
        () => Promise.resolve(true),
        () => DEFAULT_SETTINGS,
        () => assert.fail(),
      ),
      log: assert.fail,
    });
    const request = (signal: AbortSignal): Promise<void> => {
      signals.push(signal);
      return new Promise((resolve) => (end = resolve));
    };
    // The second start is for the same cursor, and makes no request.
    for (let i = 0; i < 2; i++) {
      prefetch.start(accepted('f(║\n', 'a);'), DEFAULT_SETTINGS, request);
      await new Promise(setImmediate);
    }
    return { prefetch, signals, end: () => end() };
  }

  for (const [text, goesOn, uri = FILE.uri] of [
    ['f(\n', true],
    ['f(a\n', true],
    ['f(a);\n', true],
    ['f(b\n', false],
    ['f(a);b\n', false],
    ['f(a);\n\n', false],
    ['f\n', false],
    ['g(a\n', false],
    ['f(a\n\n', false],
    ['f(a\n', false, 'file:///b.html'],
  ] as const)
    it(`${goesOn ? 'goes on' : 'stops'} when ${uri} becomes ${JSON.stringify(text)}`, async () => {
      const { prefetch, signals } = await started();
      prefetch.changed({ ...FILE, uri, text });
      assert.deepEqual(
        signals.map(({ aborted }) => aborted),
        [!goesOn],
      );
    });

  it('ends when another prefetch starts, but not when the setting forbids prefetches', async () => {
    const { prefetch, signals } = await started();
    const request = () => Promise.resolve();
    prefetch.start(accepted('g(║\n', 'a);'), { ...DEFAULT_SETTINGS, prefetch: 'never' }, request);
    assert.equal(signals[0]?.aborted, false);
    prefetch.start(accepted('g(║\n', 'a);'), DEFAULT_SETTINGS, request);
    assert.equal(signals[0].aborted, true);
  });

  it('makes no request if it is stopped during its pause', async () => {
    const { opened, open } = gate();
    const { prefetch, signals } = await started(true, opened);
    prefetch.stop();
    open();
    await new Promise(setImmediate);
    assert.deepEqual(signals, []);
  });

  it('is waited for by a request at its cursor only, until it ends or the request is cancelled', async () => {
    const { document, context } = accepted('f(║\n', 'a);');
    const isWaiting = async (at: Started, offset: number, signal: AbortSignal): Promise<boolean> => {
      let hasEnded = false;
      void at.prefetch.waitFor(document, offset, signal).then(() => (hasEnded = true));
      await new Promise(setImmediate);
      return !hasEnded;
    };
    const { signal } = new AbortController();
    const running = await started();
    assert.equal(await isWaiting(running, context.offset, signal), true);
    assert.equal(await isWaiting(running, context.offset - 1, signal), false);
    assert.equal(await isWaiting(running, context.offset, AbortSignal.abort()), false);
    const controller = new AbortController();
    const cancelled = running.prefetch.waitFor(document, context.offset, controller.signal);
    controller.abort();
    await cancelled;
    const ended = running.prefetch.waitFor(document, context.offset, signal);
    running.end();
    await ended;
    assert.equal(await isWaiting(await started(false), context.offset, signal), false, 'it has not begun');
  });
});
