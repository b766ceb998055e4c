// The draft overlay with the built-in model: an accepted suggestion is painted whole, until the next edit.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FlashlineApi } from '../../../src/extension';
import { until } from '../../editor/waiting';
import { closeEditors, flashline, rowsOf, showExample, trigger, type, untilChanged } from '../flashline';

const TOGGLE = 'flashline.toggleDraftOverlay';

describe('the draft overlay', () => {
  let api: FlashlineApi;
  before(async () => {
    api = await flashline();
    await vscode.commands.executeCommand(TOGGLE);
  });
  afterEach(closeEditors);
  after(() => vscode.commands.executeCommand(TOGGLE));

  it('paints the tokens of an accepted suggestion until the next edit', async () => {
    const editor = await showExample('shoppingCart.ts', 20, 22, 'painted.ts');
    const before = editor.document.getText().length;
    await trigger();
    await until('the request is reported', () =>
      rowsOf(api, 'painted.ts').some(({ outcome }) => outcome === 'shown'),
    );
    const text = await untilChanged(editor, 'editor.action.inlineSuggest.commit');
    await until('it is painted', () => api.draftOverlay().length > 0);
    const spans = api.draftOverlay();
    assert.equal(spans[0]?.start, 0);
    assert.equal(spans.at(-1)?.end, text.length - before);
    spans.slice(1).forEach(({ start }, i) => assert.equal(start, spans[i]?.end));
    const start = editor.document.offsetAt(editor.selection.active) - (text.length - before);
    const painted = spans.map((span) => ({
      text: text.slice(start + span.start, start + span.end),
      source: span.source,
    }));
    // Only the first and the last token may have been cut.
    const pieces = rowsOf(api, 'painted.ts').flatMap(({ rounds }) => rounds.flat());
    for (const each of painted.slice(1, -1))
      assert.ok(pieces.some((piece) => piece.text === each.text && piece.source === each.source));
    await type(' ');
    await until('it is painted no more', () => api.draftOverlay().length === 0);
  });

  it('paints parts as they are accepted, each with those before it', async () => {
    const editor = await showExample('shoppingCart.ts', 20, 22, 'parts.ts');
    let last = editor.document.getText().length;
    const first = last;
    await trigger();
    await until('the request is reported', () =>
      rowsOf(api, 'parts.ts').some(({ outcome }) => outcome === 'shown'),
    );
    const commands = ['acceptNextWord', 'acceptNextWord', 'commit'];
    for (const command of commands) {
      const { length } = await untilChanged(editor, `editor.action.inlineSuggest.${command}`);
      assert.ok(length > last);
      last = length;
      await until(`${command} is painted`, () => api.draftOverlay().at(-1)?.end === length - first);
      assert.equal(api.draftOverlay()[0]?.start, 0);
    }
  });
});
