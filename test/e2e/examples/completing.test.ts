// Tests Flashline as a user sees it: keys, ghost text, explanations and the statistics panel. test/host/ tests what
// needs no screen.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { examplePlace, type ExamplePlace } from '../../editor/examplePlace';
import type { ProbeState } from '../../editor/probe';
import type { Session } from '../../editor/session';
import { pause, until } from '../../editor/waiting';
import type { Workbench } from '../../editor/workbench';
import { examplesWindow, leaveEditors } from '../sharedVscode';

/** Number of checks, 100 ms apart, in which a dismissed suggestion would reappear. */
const LOOKS = 15;
/** Number of attempts until language support is ready. */
const TRIES = 4;

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

describe('completing in the editor', () => {
  let session: Session;
  let workbench: Workbench;
  let opened = 0;
  before(async () => {
    session = await examplesWindow();
    workbench = session.workbench;
  });
  beforeEach(() => leaveEditors(session));
  after(() => leaveEditors(session));

  /** Opens a copy of a bundled example under a new name, at a place where the model suggests text. */
  async function open(place: string): Promise<ExamplePlace> {
    const example = examplePlace(place);
    const file = example.file.replace('.', `${(opened += 1)}.`);
    const path = session.profile.file(file);
    session.profile.write(path, example.text);
    await session.probe.show(path, example.offset);
    await workbench.editor.waitFor();
    return example;
  }

  /** Waits until the document has another text than `text`. */
  async function changedFrom(text: string): Promise<ProbeState & { text: string; cursor: number }> {
    return await until('the document has changed', async () => {
      const state = await session.probe.state();
      const { text: current, cursor } = state;
      if (current === undefined || cursor === undefined || current === text) return undefined;
      return { ...state, text: current, cursor };
    });
  }

  it('shows ghost text after typing, which Tab accepts', async () => {
    const { text, offset } = await open('shoppingCart.ts:20:22');
    await workbench.type(')');
    const ghost = await workbench.suggestion();
    await workbench.press('Tab');
    const accepted = await changedFrom(`${text.slice(0, offset)})${text.slice(offset)}`);
    const inserted = accepted.text.slice(offset + 1, accepted.cursor);
    assert.ok(inserted.startsWith(ghost.split('\n')[0] ?? '?'), `showed ${ghost}, inserted ${inserted}`);
    // Another suggestion can follow it.
    await until('the accepted ghost text is gone', async () => (await workbench.ghostText()) !== ghost);
  });

  it('shows the lines of a block, also before a bracket that the editor has closed', async () => {
    const source = readFileSync('bench/holes/files/javascript/playlist.js', 'utf8');
    const block = '() {\n    return this.#tracks.length;\n  }';
    const offset = source.indexOf(block, source.indexOf('get length'));
    const path = session.profile.file('playlist.js');
    session.profile.write(path, source.slice(0, offset) + source.slice(offset + block.length));
    await session.probe.show(path, offset);
    await workbench.press('Alt+\\');
    // Accepting the block while it grows would insert only a part of it.
    const waitForGhostText = (text: string): Promise<unknown> =>
      until('the whole block shows', async () => (await workbench.ghostText()) === text);
    await waitForGhostText(block);
    await workbench.type('(');
    await until('the editor closes the bracket', async () =>
      (await session.probe.state()).text?.includes('length()\n'),
    );
    await waitForGhostText(block.slice('()'.length));
    await workbench.press('Tab');
    await until('the block is there once', async () => (await session.probe.state()).text === source);
  });

  it('shows the numbers of the language server in the statistics panel', async () => {
    await session.probe.command('flashline.showStatistics');
    const column = async (name: string): Promise<readonly number[]> => {
      const cells = await workbench.webview.locator(`#request-table tbody [data-name="${name}"]`).all();
      return await Promise.all(cells.map(async (cell) => Number(await cell.getAttribute('data-value'))));
    };
    // A request that ends now adds a row.
    await until('the table has the last requests', async () => {
      const rows = (await session.probe.state()).rows.toReversed();
      const [tokens, perPass] = [await column('promptTokens'), await column('tokensPerRound')];
      const shown = rows.slice(0, tokens.length).map(({ stats, rates }, i) => {
        return tokens[i] === stats.promptTokens && perPass[i] === rates.tokensPerRound;
      });
      return shown.length > 2 && shown.every(Boolean);
    });
  });

  it('keeps the words in the heads of its tables whole in a narrow window', async () => {
    await open('shoppingCart.ts:20:22');
    await workbench.press('Alt+\\');
    await workbench.ghost.first().waitFor();
    const { page } = session.window;
    const size = page.viewportSize();
    await session.probe.command('flashline.showStatistics');
    await workbench.webview.locator('#part-table thead th').first().waitFor();
    await page.setViewportSize({ width: 640, height: 800 });
    try {
      const brokenWords = await workbench.webview
        .locator('thead th, #ledger-table th')
        .evaluateAll((heads) => {
          // This project has the types of Node.js, not those of browsers.
          interface Place {
            setStart: (node: unknown, at: number) => void;
            setEnd: (node: unknown, at: number) => void;
            getClientRects: () => { readonly length: number };
          }
          const { Range } = globalThis as unknown as { Range: new () => Place };
          return heads.flatMap((head) => {
            const { firstChild } = head as unknown as { firstChild: { readonly data: string } };
            const words = [...firstChild.data.matchAll(/\S+/g)];
            return words.flatMap(({ 0: word, index }) => {
              const place = new Range();
              place.setStart(firstChild, index);
              place.setEnd(firstChild, index + word.length);
              return place.getClientRects().length > 1 ? [word] : [];
            });
          });
        });
      assert.deepEqual(brokenWords, []);
    } finally {
      if (size) await page.setViewportSize(size);
    }
  });

  it('explains the last suggestion', async () => {
    await open('shoppingCart.ts:20:22');
    await workbench.press('Alt+\\');
    await workbench.ghost.first().waitFor();
    await workbench.palette('Flashline: Why This Suggestion');
    const { webview } = workbench;
    const total = webview.locator('#part-table [data-part="prompt"] [data-value]').first();
    await total.waitFor();
    await webview.locator('#why-title:focus').waitFor();
    const { rows } = await session.probe.state();
    const row = rows.findLast(({ kind, prompt }) => kind === 'inline' && prompt !== undefined);
    assert.equal(Number(await total.getAttribute('data-value')), row?.stats.promptTokens);
  });

  it('shows no suggestion where Escape dismissed it, until it is requested', async () => {
    await open('shoppingCart.ts:20:22');
    await workbench.type(')');
    let dismissed = firstLine(await workbench.suggestion());
    // The prompt changes once language support is ready, and so can the suggestion.
    for (let tries = 0; tries < TRIES; tries += 1) {
      await workbench.press('Escape');
      await until('the dismissed ghost text is gone', async () => (await workbench.ghostText()) === '');
      await workbench.type(' ');
      await workbench.press('Backspace');
      for (let look = 0; look < LOOKS; look++) {
        assert.notEqual(firstLine(await workbench.ghostText()), dismissed);
        await pause(100);
      }
      await workbench.press('Alt+\\');
      const shownAgain = firstLine(await workbench.suggestion());
      if (shownAgain.startsWith(dismissed)) return;
      dismissed = shownAgain;
    }
    assert.fail('the dismissed suggestion does not appear on request');
  });
});
