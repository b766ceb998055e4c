// Tests in VS Code that ghost text grows: VS Code replaces a visible first line by the whole suggestion when it is
// triggered again. test/src/growingSuggestions.test.ts tests everything else with a fake VS Code.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { GrowingSuggestions } from '../../../src/ghostText/growingSuggestions';
import { until } from '../../editor/waiting';
import { fake } from '../../support/fake';
import { closeEditors, show, type, untilChanged } from '../flashline';

const itemsOf = (insertText: string): vscode.InlineCompletionItem[] => [{ insertText }];

describe('a suggestion of which the first line is shown', () => {
  afterEach(closeEditors);

  it('is replaced by the whole suggestion, which can then be accepted', async () => {
    let answerWhole: (items: vscode.InlineCompletionItem[]) => void = () => undefined;
    const suggestions = new GrowingSuggestions(
      fake({
        suggestions: (_, onPart) => {
          onPart(itemsOf('first'));
          return new Promise((resolve) => (answerWhole = resolve));
        },
      }),
      fake({ isOffered: () => true }),
      fake({}),
    );
    const editor = await show('growing.txt', '‸');
    // VS Code 1.139 does not request at the first key in a new window.
    await type('a');
    const answers: unknown[] = [];
    const registration = vscode.languages.registerInlineCompletionItemProvider('plaintext', {
      provideInlineCompletionItems: async (...request) => {
        const items = await suggestions.items(...request);
        answers.push(items.map(({ insertText }) => insertText));
        return items;
      },
    });
    try {
      await type('=');
      await until('the first line is the answer', () => answers.length > 0);
      answerWhole(itemsOf('first\nsecond'));
      await until('the whole suggestion is the answer', () => answers.length > 1);
      assert.deepEqual(answers, [['first'], ['first\nsecond']]);
      assert.equal(await untilChanged(editor, 'editor.action.inlineSuggest.commit'), 'a=first\nsecond');
    } finally {
      registration.dispose();
    }
  });
});
