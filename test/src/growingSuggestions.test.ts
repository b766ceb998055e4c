// Tests ghost text that grows: the first part is the answer, and VS Code is asked to request again once there is more,
// unless the user has dismissed it.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FlashlineClient } from '../../src/connection/client';
import { GrowingSuggestions } from '../../src/ghostText/growingSuggestions';
import { fake } from '../support/fake';

const AT = new vscode.Position(0, 0);
const { Automatic, Invoke } = vscode.InlineCompletionTriggerKind;
const NEVER = new vscode.CancellationTokenSource().token;

function itemsOf(...texts: string[]) {
  return texts.map((insertText) => ({ insertText }));
}

/** Creates a window with one request at a time, which a test answers; `triggered` has the commands of VS Code. */
function asking({ isOffered = true, triggerKind = Automatic } = {}) {
  const document = { uri: vscode.Uri.file('/a.ts'), version: 1 } as vscode.TextDocument;
  const requests: {
    readonly part: (...texts: string[]) => void;
    readonly answer: (...texts: string[]) => void;
    readonly fail: (error: Error) => void;
    readonly token: vscode.CancellationToken;
  }[] = [];
  const ask: FlashlineClient['suggestions'] = (_, onPart, token) =>
    new Promise((resolve, fail) => {
      token.onCancellationRequested(() => resolve([]));
      requests.push({
        part: (...texts) => onPart(itemsOf(...texts)),
        answer: (...texts) => resolve(itemsOf(...texts)),
        fail,
        token,
      });
    });
  const triggered: string[] = [];
  /** Callbacks of VS Code after a request. */
  const answers: (() => void)[] = [];
  Object.assign(vscode.commands, {
    executeCommand: (id: string) => {
      triggered.push(id);
      return new Promise<void>((resolve) => answers.push(resolve));
    },
  });
  const editor = { document, selection: { active: AT } };
  Object.assign(vscode.window, { activeTextEditor: editor });
  const offer = { isOffered };
  const acceptance = { isOffered: () => offer.isOffered };
  const suggestions = new GrowingSuggestions(
    fake({ suggestions: ask }),
    fake(acceptance),
    fake({ error: () => undefined }),
  );
  const context = { triggerKind, selectedCompletionInfo: undefined };
  const texts = async (at = AT, token = NEVER): Promise<string[]> =>
    (await suggestions.items(document, at, context, token)).map(({ insertText }) => insertText as string);
  return { document, requests, triggered, answers, texts, offer, context };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Shows the first part of a suggestion, whose whole text is known. */
async function grown(options?: Parameters<typeof asking>[0]) {
  const window = asking(options);
  const shown = window.texts();
  window.requests[0]?.part('{');
  assert.deepEqual(await shown, ['{']);
  assert.deepEqual(window.triggered, []);
  window.requests[0]?.answer('{\n}', '{}');
  await settled();
  return window;
}

describe('growing suggestions', () => {
  const { executeCommand } = vscode.commands;
  const { activeTextEditor } = vscode.window;
  afterEach(() => {
    Object.assign(vscode.commands, { executeCommand });
    Object.assign(vscode.window, { activeTextEditor });
  });

  it('appear with their first part, and then as a whole, without another request', async () => {
    const { requests, triggered, texts } = await grown();
    assert.deepEqual(triggered, ['editor.action.inlineSuggest.trigger']);
    assert.deepEqual(await texts(), ['{\n}', '{}']);
    assert.equal(requests.length, 1);
  });

  it('are hidden before they grow when they were requested, as VS Code would not ask again', async () => {
    const { triggered } = await grown({ triggerKind: Invoke });
    assert.deepEqual(
      triggered.map((id) => id.replace(/.*\./, '')),
      ['hide', 'trigger'],
    );
  });

  it('appear once when the answer equals the first part', async () => {
    const { requests, triggered, texts } = asking();
    const shown = texts();
    requests[0]?.part('1;');
    requests[0]?.answer('1;');
    assert.deepEqual(await shown, ['1;']);
    await settled();
    assert.deepEqual(triggered, []);
  });

  for (const [when, happens, isAwaited] of [
    ['between the first part and the rest', () => undefined, true],
    ['after VS Code did not ask for them', ({ answers }) => answers.forEach((end) => end()), false],
    ['after VS Code has shown them, and not told yet', ({ texts }) => texts(), false],
  ] as readonly (readonly [string, (window: ReturnType<typeof asking>) => unknown, boolean])[])
    it(`stay dismissed after Escape ${when}, until requested`, async () => {
      const window = await grown();
      await happens(window);
      await settled();
      window.offer.isOffered = false;
      if (isAwaited) assert.deepEqual(await window.texts(), []);
      const expected = window.texts();
      window.requests[1]?.answer('{\n}');
      assert.deepEqual(await expected, ['{\n}']);
    });

  const selectedCompletionInfo = { range: new vscode.Range(AT, AT), text: 'log' };
  for (const [what, move] of [
    [
      'entry of the IntelliSense list',
      ({ context }) => void Object.assign(context, { selectedCompletionInfo }),
    ],
    ['version of the text', ({ document }) => void Object.assign(document, { version: 2 })],
    ['place', () => new vscode.Position(0, 1)],
  ] as readonly (readonly [string, (window: ReturnType<typeof asking>) => vscode.Position | undefined])[])
    it(`are not shown for another ${what}`, async () => {
      const window = await grown();
      const next = window.texts(move(window));
      window.requests[1]?.answer('log(1)');
      assert.deepEqual(await next, ['log(1)']);
    });

  it('of a request that VS Code cancels wait for the request with a list entry, which is first', async () => {
    const { requests, texts, context } = asking();
    const source = new vscode.CancellationTokenSource();
    const first = texts(AT, source.token);
    source.cancel();
    await settled();
    Object.assign(context, { selectedCompletionInfo });
    void texts();
    assert.equal(requests.length, 2);
    assert.equal(requests[0]?.token.isCancellationRequested, false);
    assert.deepEqual(await first, []);
  });

  it('are empty when the request fails', async () => {
    const { requests, texts } = asking();
    const shown = texts();
    requests[0]?.fail(new Error('gone'));
    assert.deepEqual(await shown, []);
  });

  it('keep their first part after a dismissal or a change of the text', async () => {
    for (const [isOffered, version] of [
      [false, 1],
      [true, 2],
    ] as const) {
      const each = asking({ isOffered });
      void each.texts();
      each.requests[0]?.part('{');
      Object.assign(each.document, { version });
      each.requests[0]?.answer('{\n}');
      await settled();
      assert.deepEqual(each.triggered, []);
    }
  });

  it('end with the next request, and show nothing more', async () => {
    const { requests, triggered, texts } = asking();
    void texts();
    requests[0]?.part('{');
    const second = texts();
    requests[0]?.answer('{\n}');
    requests[1]?.answer('2;');
    assert.deepEqual(await second, ['2;']);
    assert.deepEqual(triggered, []);
    while (!requests[0]?.token.isCancellationRequested)
      await new Promise((resolve) => setTimeout(resolve, 10));
  });
});
