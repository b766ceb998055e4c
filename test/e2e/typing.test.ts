// Typing at ten keys a second: no frame may show a suggestion that is stale or in the wrong place.
// Prints what a key costs the extension host, and how long ghost text takes to follow one.
import assert from 'node:assert/strict';
import { misplaced, readTrace, typedThroughTimes, watchGhost } from '../editor/ghostTrace';
import { Session } from '../editor/session';
import { until } from '../editor/waiting';
import { fullSize } from '../support/fullSize';
import { shootFailure } from './failureShots';
import { sharedVscode } from './sharedVscode';

const KEYS_PER_SECOND = 10;
const TYPING_SECONDS = fullSize ? 20 : 6;
const START = `export class Stack {
  private items: number[] = [];

  push(item: number): void {
    this.items.push(item);
  }

`;
/** Beginnings at which a person pauses to see what is suggested. */
const HEADS = ['  pop(', '    return this.', '  get size', '    if (this.items.', '  clear('];
const PAUSE_MS = 1500;
/** How much of a suggestion is typed as suggested, before something else. */
const AGREED = 8;
const OTHER = 'zq';

describe('typing', () => {
  let session: Session;
  before(async () => {
    session = await Session.open({
      server: await sharedVscode(),
      name: 'typing',
      files: { 'stack.ts': START },
      settings: { 'editor.autoIndent': 'none', 'editor.tabCompletion': 'off' },
    });
  });
  afterEach(async function () {
    await shootFailure(session, this.currentTest);
  });
  after(async () => {
    await session.close();
  });

  it('never shows a stale or misplaced suggestion', async () => {
    const { page } = session.window;
    const { ghost } = session.workbench;
    await session.probe.show(session.profile.file('stack.ts'), START.length);
    await session.workbench.editor.waitFor();
    await watchGhost(page);

    let typed = START;
    let count = 0;
    const type = async (text: string): Promise<void> => {
      const begun = Date.now();
      for (const [i, character] of [...text].entries()) {
        await page.keyboard.press(character === '\n' ? 'Enter' : character);
        await page.waitForTimeout(Math.max(0, begun + ((i + 1) * 1000) / KEYS_PER_SECOND - Date.now()));
      }
      typed += text;
      count += text.length;
    };
    for (let i = 0; count < TYPING_SECONDS * KEYS_PER_SECOND; i += 1) {
      await type(HEADS[i % HEADS.length] ?? '');
      const shown = ghost.first().waitFor({ timeout: PAUSE_MS });
      const suggested = await shown.then(() => session.workbench.ghostText()).catch(() => '');
      await type(`${suggested.slice(0, AGREED)}${OTHER}\n`);
    }

    const state = await until('all keys have arrived', async () => {
      const now = await session.probe.state();
      return now.text === typed && now;
    });
    const trace = await readTrace(page);
    const shown = trace.frames.filter((frame) => frame.ghost !== '').length;
    const followed = typedThroughTimes(trace);
    const work = state.keystrokeTimes.slice(1);
    console.log(`      ${count} keys; ${trace.frames.length} frames, ${shown} with ghost text`);
    console.log(`      extension host from key to key: ${summary(work)}`);
    console.log(`      key to typed-through ghost text: ${summary(followed)}`);
    assert.deepEqual(misplaced(trace, typed.split('\n')), []);
    assert.ok(followed.length >= TYPING_SECONDS / 2, 'too little ghost text to judge');
  });
});

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Infinity;
}

function summary(values: readonly number[]): string {
  const [median, p95, max] = [0.5, 0.95, 1].map((share) => quantile(values, share).toFixed(1));
  return `${values.length} times, median ${median} ms, 95 % under ${p95} ms, most ${max} ms`;
}
