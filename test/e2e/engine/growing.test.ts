// A long suggestion while it is computed: its first line is on the screen before the rest, which follows without a frame
// in between, and typing it goes on with the same request. A server of the test's own writes it, as fast as the test says.
import assert from 'node:assert/strict';
import { readTrace, watchGhost } from '../../editor/ghostTrace';
import type { Session } from '../../editor/session';
import { until } from '../../editor/waiting';
import type { Workbench } from '../../editor/workbench';
import { event, open, type AskedCompletion, type OpenAiServer } from '../../remote/openAiServer';
import { shootFailure } from '../failureShots';
import { engineWindow, leaveEditors } from '../sharedVscode';

const FIRST = ' (value, low, high) => {';
const SECOND = '\n  if (value < low) return low;';
const REST = '\n  if (value > high) return high;\n  return value;\n};';

/** Frames have the lines below the cursor without line ends. */
function oneLine(text: string): string {
  return text.replaceAll('\n', '');
}

describe('a long suggestion', () => {
  let engine: OpenAiServer;
  let session: Session;
  let workbench: Workbench;
  let opened = 0;
  /** Of each test its own, so that no request of another one counts. */
  let start: string;
  let goOn: (() => void) | undefined;
  before(async () => {
    ({ engine, session } = await engineWindow());
    workbench = session.workbench;
    engine.respond = async (response) => {
      open(response);
      response.write(event(`${FIRST}\n`) + event(`${SECOND.slice(1)}\n`));
      await new Promise<void>((resolve) => (goOn = resolve));
      response.end(`${event(`${REST.slice(1)}\n`)}data: [DONE]\n\n`);
    };
  });
  beforeEach(async () => {
    start = `export const clamp${(opened += 1)} =`;
    const path = session.profile.file(`clamp${opened}.ts`);
    session.profile.write(path, start.slice(0, -1));
    await session.probe.show(path, start.length - 1);
    await workbench.editor.waitFor();
    await watchGhost(session.window.page);
  });
  afterEach(async function () {
    goOn?.();
    await shootFailure(session, this.currentTest);
    await leaveEditors(session);
  });

  /** What the screen has shown since the cursor's line had ghost text first, frame by frame. */
  async function shown() {
    const { frames } = await readTrace(session.window.page);
    const first = frames.findIndex(({ ghost }) => ghost !== '');
    return frames
      .slice(first)
      .map(({ before, ghost, below }) => ({ text: before + ghost + below, below, hasGhost: ghost !== '' }));
  }

  /** All of it on the screen. */
  function whole(): string {
    return oneLine(start + FIRST + SECOND + REST);
  }

  /** Since the last key of the start. */
  function asked(): readonly AskedCompletion[] {
    return engine.asked.filter(({ body }) => String(body['prompt']).includes(start));
  }

  async function takes(): Promise<void> {
    await workbench.press('Tab');
    await until(
      'it is there',
      async () => (await session.probe.state()).text === start + FIRST + SECOND + REST,
    );
  }

  async function showsWhole(): Promise<void> {
    await until('the rest is shown', async () => (await shown()).at(-1)?.text === whole());
  }

  it('is shown by its first line, and then whole, with nothing in between', async () => {
    await workbench.type('=');
    await until('its first line is shown', async () => (await workbench.ghostText()) === FIRST);
    const first = await shown();
    assert.ok(first.every(({ below }) => below === ''));
    goOn?.();
    await showsWhole();
    const frames = await shown();
    assert.ok(frames.some(({ text }) => text === start + FIRST));
    for (const { text, hasGhost } of frames)
      assert.ok(hasGhost && whole().startsWith(text), JSON.stringify(frames));
    assert.equal(asked().length, 1);
    await takes();
  });

  it('goes on with the same request when its first line is typed', async () => {
    await workbench.type('=');
    await until('its first line is shown', async () => (await workbench.ghostText()) === FIRST);
    await workbench.type(FIRST.slice(0, 1));
    // Who types is shown what is known by now, before the answer is complete.
    const known = oneLine(start + FIRST + SECOND);
    await until('the next line is shown', async () => (await shown()).at(-1)?.text === known);
    assert.deepEqual(
      asked().map(({ closed }) => closed),
      [false],
    );
    goOn?.();
    await showsWhole();
    for (const { text, hasGhost } of await shown()) assert.ok(!hasGhost || whole().startsWith(text), text);
    assert.equal(asked().length, 1);
    await takes();
  });
});
