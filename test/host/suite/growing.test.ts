// Tests in VS Code that ghost text grows, and appears when its answer is late: VS Code is triggered to request again.
// Newer versions cancel a request after 0.75 s, to open the IntelliSense list. test/src/growingSuggestions.test.ts
// tests everything else with a fake VS Code.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { GrowingSuggestions } from '../../../src/ghostText/growingSuggestions';
import { pause, until } from '../../editor/waiting';
import { fake } from '../../support/fake';
import { closeEditors, show, trigger, type, untilChanged } from '../flashline';

const COMMIT = 'editor.action.inlineSuggest.commit';
/** Time to an answer for which newer versions of VS Code do not wait, ms. */
const LATE_MS = 1500;
/** Time in which VS Code requests again once it is triggered, ms. */
const TRIGGERED_MS = 500;

/** A request to the server, which a test answers. */
interface ServerRequest {
  readonly position: vscode.Position;
  /** Entry selected in the list. */
  readonly selected: string | undefined;
  readonly onPart: (items: vscode.InlineCompletionItem[]) => void;
  readonly answer: (items: vscode.InlineCompletionItem[]) => void;
}

const run = (command: string) => vscode.commands.executeCommand(command);

describe('growing ghost text', () => {
  let editor: vscode.TextEditor;
  let served: ServerRequest[];
  /** Texts of each answer to VS Code. */
  let answers: unknown[];
  /** Whether VS Code has requested because it was triggered. */
  let isTriggered: boolean;
  /** Whether the list has an entry: "bison". */
  let hasEntries: boolean;
  let registrations: vscode.Disposable[];

  beforeEach(async () => {
    served = [];
    answers = [];
    isTriggered = false;
    hasEntries = false;
    const suggestions = new GrowingSuggestions(
      fake({
        suggestions: ({ position, context }, onPart, token) =>
          new Promise((answer) => {
            const selected = context.selectedCompletionInfo?.text;
            served.push({ position, selected, onPart, answer });
            token.onCancellationRequested(() => {
              answer([]);
            });
          }),
      }),
      fake({ isOffered: () => true }),
      fake({}),
    );
    editor = await show('growing.txt', '‸');
    // Until then newer versions of VS Code can ignore keys in a new window.
    await trigger();
    registrations = [
      vscode.languages.registerInlineCompletionItemProvider('plaintext', {
        provideInlineCompletionItems: async (document, position, context, token) => {
          isTriggered ||= context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
          const items = await suggestions.items(document, position, context, token);
          answers.push(items.map(({ insertText }) => insertText));
          return items;
        },
      }),
      vscode.languages.registerCompletionItemProvider('plaintext', {
        provideCompletionItems: () => (hasEntries ? [new vscode.CompletionItem('bison')] : []),
      }),
    ];
  });
  afterEach(async () => {
    for (const registration of registrations) registration.dispose();
    await closeEditors();
  });

  /** Returns an item that replaces the word before the cursor, like those of the server. */
  function itemsOf(insertText: string): vscode.InlineCompletionItem[] {
    const { active } = editor.selection;
    const word = editor.document.getWordRangeAtPosition(active);
    return [{ insertText, range: word ?? new vscode.Range(active, active) }];
  }

  /** Types a key, and returns the request to the server for it: with the entry, if the list has one. */
  async function requestAfter(key: string): Promise<ServerRequest> {
    await type(key);
    const selected = hasEntries ? 'bison' : undefined;
    return await until('the server has the request', () =>
      served.find((request) => request.selected === selected),
    );
  }

  it('replaces the first line of a suggestion by all of it, which can then be accepted', async () => {
    const request = await requestAfter('=');
    request.onPart(itemsOf('first'));
    await until('the first line is the answer', () => answers.length > 0);
    request.answer(itemsOf('first\nsecond'));
    await until('the whole suggestion is the answer', () => answers.length > 1);
    assert.deepEqual(answers, [['first'], ['first\nsecond']]);
    assert.equal(await untilChanged(editor, COMMIT), '=first\nsecond');
  });

  it('shows a late suggestion after one request to the server', async () => {
    const { position, answer } = await requestAfter('b');
    await pause(LATE_MS);
    answer(itemsOf('bison'));
    assert.equal(await untilChanged(editor, COMMIT), 'bison');
    assert.equal(served.filter((request) => request.position.isEqual(position)).length, 1);
  });

  it('shows a suggestion that begins with the entry of the list, if the list opens first', async () => {
    hasEntries = true;
    const { answer } = await requestAfter('b');
    // Newer versions of VS Code have also requested a suggestion before they opened the list.
    for (const request of served) if (request.selected === undefined) request.answer(itemsOf('bee'));
    await pause(LATE_MS);
    answer(itemsOf('bison()'));
    assert.equal(await untilChanged(editor, COMMIT), 'bison()');
    assert.equal(isTriggered, false);
  });

  for (const [what, happens] of [
    ['the cursor has moved', () => run('cursorLeft')],
    ['the user has typed on', () => type('e')],
    ['another editor is active', () => show('other.txt', '‸')],
  ] as const)
    it(`shows no late suggestion once ${what}`, async () => {
      const { answer } = await requestAfter('b');
      await pause(LATE_MS);
      await happens();
      answer(itemsOf('bee'));
      await pause(TRIGGERED_MS);
      assert.equal(isTriggered, false);
    });

  it('shows no late suggestion once Escape has closed the list', async () => {
    hasEntries = true;
    const { answer } = await requestAfter('b');
    await run('hideSuggestWidget');
    await pause(TRIGGERED_MS);
    answer(itemsOf('bison()'));
    await pause(TRIGGERED_MS);
    assert.equal(isTriggered, false);
  });
});
