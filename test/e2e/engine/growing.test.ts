// Tests a long suggestion while it is computed: its first line is on the screen before the rest. A server of the test
// holds the rest back until the test releases it. test/lsp/growing.test.ts tests typing along.
import assert from 'node:assert/strict';
import { readTrace, watchGhost } from '../../editor/ghostTrace';
import type { Session } from '../../editor/session';
import { until } from '../../editor/waiting';
import { event, open } from '../../remote/openAiServer';
import { engineWindow, leaveEditors } from '../sharedVscode';

const START = 'export const clamp =';
const FIRST = ' (value, low, high) => {';
const SECOND = '\n    if (value < low) return low;';
const REST = '\n    if (value > high) return high;\n    return value;\n};';
const TEXT = START + FIRST + SECOND + REST;
/** Lines below the cursor as frames contain them: without line ends. */
const BELOW = (SECOND + REST).replaceAll('\n', '');

describe('a long suggestion', () => {
  let session: Session;
  after(() => leaveEditors(session));

  /** Returns the ghost text of each frame since the first one that had any. */
  async function ghostTexts(): Promise<string[]> {
    const { frames } = await readTrace(session.window.page);
    const first = frames.findIndex(({ ghost }) => ghost !== '');
    return frames.slice(first).map(({ ghost, below }) => ghost + below);
  }

  it('shows its first line and then all lines, and no other text', async () => {
    const { engine, session: opened } = await engineWindow();
    session = opened;
    const { probe, profile, workbench } = session;
    let releaseRest: (() => void) | undefined;
    engine.respond = async (response) => {
      open(response);
      response.write(event(`${FIRST}\n`) + event(`${SECOND.slice(1)}\n`));
      await new Promise<void>((resolve) => (releaseRest = resolve));
      response.end(`${event(`${REST.slice(1)}\n`)}data: [DONE]\n\n`);
    };
    const path = profile.file('clamp.ts');
    profile.write(path, START.slice(0, -1));
    await probe.show(path, START.length - 1);
    await workbench.editor.waitFor();
    await watchGhost(session.window.page);
    await workbench.type('=');
    await until(
      'the first line of the suggestion is shown',
      async () => (await workbench.ghostText()) === FIRST,
    );
    assert.deepEqual(await ghostTexts(), [FIRST]);
    releaseRest?.();
    const whole = FIRST + BELOW;
    await until('the whole suggestion is shown', async () => (await ghostTexts()).at(-1) === whole);
    // VS Code shows nothing for a moment between the two, and can draw the lines below one frame earlier.
    const others = (await ghostTexts()).filter((text) => !['', FIRST, BELOW, whole].includes(text));
    assert.deepEqual(others, []);
    assert.equal(engine.requests.filter(({ body }) => String(body['prompt']).includes(START)).length, 1);
    await workbench.press('Tab');
    await until('the accepted text is in the document', async () => (await probe.state()).text === TEXT);
  });
});
