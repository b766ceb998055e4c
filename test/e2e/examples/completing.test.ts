// Flashline as a user sees it: keys, ghost text, what explains it, the statistics panel, the switch. What needs no screen
// is tested in test/host/.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { examplePlace, type ExamplePlace } from '../../editor/examplePlace';
import type { ProbeState } from '../../editor/probe';
import type { Session } from '../../editor/session';
import { pause, until } from '../../editor/waiting';
import type { Workbench } from '../../editor/workbench';
import { shootFailure } from '../failureShots';
import { examplesWindow, leaveEditors } from '../sharedVscode';

/** In which a suggestion that is known already would be there again. */
const LOOKS = 15;
/** Language support becomes ready once. */
const TRIES = 4;

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

describe('in the editor', () => {
  let session: Session;
  let workbench: Workbench;
  let opened = 0;
  before(async () => {
    session = await examplesWindow();
    workbench = session.workbench;
  });
  afterEach(async function () {
    await shootFailure(session, this.currentTest);
    await leaveEditors(session);
  });

  /** Opens a copy of a bundled example, under a new name, where the model has something to say. */
  async function open(place: string): Promise<ExamplePlace> {
    const example = examplePlace(place);
    const file = example.file.replace('.', `${(opened += 1)}.`);
    const path = session.profile.file(file);
    session.profile.write(path, example.text);
    await session.probe.show(path, example.offset);
    await workbench.editor.waitFor();
    return { ...example, file };
  }

  /** Turns Flashline on or off. */
  async function toggle(on: boolean): Promise<void> {
    await session.probe.command('flashline.toggle');
    await until('the setting is read', async () => {
      const { status } = await session.probe.state();
      return on === (status.state !== 'paused');
    });
  }

  async function changed(text: string | undefined): Promise<ProbeState & { text: string; cursor: number }> {
    return await until('the document has changed', async () => {
      const state = await session.probe.state();
      const { text: now, cursor } = state;
      return now !== undefined && cursor !== undefined && now !== text && { ...state, text: now, cursor };
    });
  }

  it('shows ghost text after typing, which Tab takes', async () => {
    const { file, text, offset } = await open('shoppingCart.ts:20:22');
    await workbench.type(')');
    const ghost = await workbench.suggestion();
    await workbench.press('Tab');
    const accepted = await changed(`${text.slice(0, offset)})${text.slice(offset)}`);
    const inserted = accepted.text.slice(offset + 1, accepted.cursor);
    assert.ok(inserted.startsWith(ghost.split('\n')[0] ?? '?'), `showed ${ghost}, inserted ${inserted}`);
    // There may be another suggestion behind it.
    await until('its ghost text is gone', async () => (await workbench.ghostText()) !== ghost);
    await workbench.press('Control+s');
    await until(
      'the file is saved',
      () => readFileSync(session.profile.file(file), 'utf8') === accepted.text,
    );
  });

  it('shows the lines of a block that a suggestion opens, also behind a bracket that the editor closes', async () => {
    const source = readFileSync('bench/holes/files/javascript/playlist.js', 'utf8');
    const block = '() {\n    return this.#tracks.length;\n  }';
    const offset = source.indexOf(block, source.indexOf('get length'));
    const path = session.profile.file('playlist.js');
    session.profile.write(path, source.slice(0, offset) + source.slice(offset + block.length));
    await session.probe.show(path, offset);
    await workbench.press('Alt+\\');
    // What is accepted while it grows would be a part.
    const shows = (text: string): Promise<unknown> =>
      until('the whole block shows', async () => (await workbench.ghostText()) === text);
    await shows(block);
    await workbench.type('(');
    await until('the editor closes the bracket', async () =>
      (await session.probe.state()).text?.includes('length()\n'),
    );
    await shows(block.slice('()'.length));
    await workbench.press('Tab');
    await until('the block is there once', async () => (await session.probe.state()).text === source);
  });

  it('shows the numbers of the server in the statistics panel', async () => {
    await session.probe.command('flashline.showStatistics');
    const cells = workbench.webview.locator('#request-table [data-value]');
    await cells.first().waitFor();
    // A request that ends now adds a row, so the table is read at one moment, and again until it has the last request.
    const table = workbench.webview.locator('#request-table tbody tr');
    const [shown, rows] = await until('the table has the last request', async () => {
      const read = await table.evaluateAll(readRows);
      const state = await session.probe.state();
      return read[0]?.id === state.rows.at(-1)?.id && ([read, state.rows] as const);
    });
    const expected = rows.toReversed().map(({ id, stats, rates }) => ({
      id,
      values: {
        emittedTokens: stats.emittedTokens,
        rounds: stats.rounds,
        tokensPerRound: rates.tokensPerRound,
        acceptanceRate: rates.acceptanceRate,
        timeToFirstTokenMs: stats.timeToFirstTokenMs,
        decodeTokensPerSecond: rates.decodeTokensPerSecond,
        promptTokens: stats.promptTokens,
      },
    }));
    assert.ok(expected.length > 2);
    assert.deepEqual(shown, expected.slice(0, shown.length));
  });

  it('explains the last suggestion', async () => {
    await open('shoppingCart.ts:20:22');
    await workbench.press('Alt+\\');
    await workbench.ghost.first().waitFor();
    await workbench.palette('Flashline: Why This Suggestion');
    const { webview } = workbench;
    const whole = webview.locator('#part-table [data-part="prompt"] [data-value]').first();
    await whole.waitFor();
    await webview.locator('#why-title:focus').waitFor();
    const { rows } = await session.probe.state();
    const row = rows.findLast(({ kind, prompt }) => kind === 'inline' && prompt !== undefined);
    assert.equal(Number(await whole.getAttribute('data-value')), row?.stats.promptTokens);
  });

  it('shows nothing that Escape has dismissed at a place, until it is asked for', async () => {
    await open('shoppingCart.ts:20:22');
    await workbench.type(')');
    let dismissed = firstLine(await workbench.suggestion());
    // The prompt says more once language support is ready, which may be in between: then the text is another one.
    for (let tries = 0; tries < TRIES; tries += 1) {
      await workbench.press('Escape');
      await until('it is gone', async () => (await workbench.ghostText()) === '');
      await workbench.type(' ');
      await workbench.press('Backspace');
      for (let look = 0; look < LOOKS; look++) {
        assert.notEqual(firstLine(await workbench.ghostText()), dismissed);
        await pause(100);
      }
      await workbench.press('Alt+\\');
      const asked = firstLine(await workbench.suggestion());
      if (asked.startsWith(dismissed)) return;
      dismissed = asked;
    }
    assert.fail('What was dismissed does not come when it is asked for.');
  });

  it('shows nothing below the threshold, until it is asked for', async () => {
    await session.probe.setting('flashline.hideBelow', 100);
    try {
      const { file: unlikely } = await open('matrix.py:42:18');
      // The server hears of the setting a little later.
      await until('a suggestion is hidden', async () => {
        await workbench.type(' ');
        await pause(300);
        const { rows } = await session.probe.state();
        return rows.some(({ file, outcome }) => file === unlikely && outcome === 'hidden');
      });
      await until('nothing is shown', async () => (await workbench.ghostText()) === '');
      await workbench.press('Alt+\\');
      assert.notEqual(await workbench.suggestion(), '');
    } finally {
      await session.probe.setting('flashline.hideBelow', 0);
    }
  });

  it('stays silent once switched off', async () => {
    let silent: string | undefined;
    await toggle(false);
    const isAsleep = async () => (await session.probe.state()).serverStatus?.state === 'asleep';
    try {
      await until('no model is in memory', isAsleep);
      const { file, text } = await open('lruCache.py:24:23');
      silent = file;
      const { rows } = await session.probe.state();
      await workbench.press('Alt+\\');
      await workbench.type(' ');
      await until('the key has arrived', async () => (await session.probe.state()).text !== text);
      assert.equal(await workbench.ghost.count(), 0);
      assert.equal((await session.probe.state()).rows.length, rows.length);
      assert.ok(await isAsleep());
      // VS Code asks a moment after the key: if the file is still open then, perhaps when Flashline is on again.
      await session.probe.command('workbench.action.files.saveAll');
      await session.probe.command('workbench.action.closeAllEditors');
    } finally {
      await toggle(true);
    }
    // Once this request has come through, one from before would have, too.
    const { file } = await open('eventEmitter.js:24:29');
    await workbench.press('Alt+\\');
    await workbench.ghost.first().waitFor();
    const { rows } = await until('the request is reported', async () => {
      const state = await session.probe.state();
      return state.rows.some((row) => row.file === file) ? state : undefined;
    });
    assert.deepEqual(
      rows.filter((row) => row.file === silent),
      [],
    );
  });
});

/** Of an element in the page. */
interface PageElement {
  getAttribute(name: string): string | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/** In the page. */
function readRows(lines: readonly PageElement[]): { id: number; values: Record<string, number> }[] {
  return lines.map((line) => ({
    id: Number(line.getAttribute('data-request')),
    values: Object.fromEntries(
      [...line.querySelectorAll('[data-value]')].map((cell) => [
        String(cell.getAttribute('data-name')),
        Number(cell.getAttribute('data-value')),
      ]),
    ),
  }));
}
