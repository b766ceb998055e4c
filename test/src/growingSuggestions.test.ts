// Ghost text that grows: the first part is the answer, and VS Code is made to ask again once there is more, unless what
// was shown is gone by then.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { GrowingSuggestions, type AskItems } from '../../src/ghostText/growingSuggestions';
import { CancellationTokenSource } from './support/fakeVscode';

const AT = new vscode.Position(0, 0);
const { Automatic, Invoke } = vscode.InlineCompletionTriggerKind;
const NEVER = new vscode.CancellationTokenSource().token;

function itemsOf(...texts: string[]) {
  return texts.map((insertText) => ({ insertText }));
}

/** One request at a time, which a test answers; and what VS Code is told. */
function asking({ isOffered = true, triggerKind = Automatic } = {}) {
  const document = { uri: vscode.Uri.file('/a.ts'), version: 1 } as vscode.TextDocument;
  const requests: {
    readonly part: (...texts: string[]) => void;
    readonly answer: (...texts: string[]) => void;
    readonly token: vscode.CancellationToken;
  }[] = [];
  const ask: AskItems = (_, onPart, token) =>
    new Promise((resolve) => {
      requests.push({
        part: (...texts) => onPart(itemsOf(...texts)),
        answer: (...texts) => resolve(itemsOf(...texts)),
        token,
      });
    });
  const triggered: string[] = [];
  /** What VS Code calls once it has asked. */
  const asked: (() => void)[] = [];
  Object.assign(vscode.commands, {
    executeCommand: (id: string) => {
      triggered.push(id);
      return new Promise<void>((resolve) => asked.push(resolve));
    },
  });
  const editor = { document, selection: { active: AT } };
  Object.assign(vscode.window, { activeTextEditor: editor });
  const offer = { isOffered };
  const suggestions = new GrowingSuggestions(
    ask,
    { isOffered: () => offer.isOffered },
    { error: () => undefined },
  );
  const context = { triggerKind, selectedCompletionInfo: undefined };
  const texts = async (at = AT): Promise<string[]> =>
    (await suggestions.items(document, at, context, NEVER)).map(({ insertText }) => insertText as string);
  return { document, requests, triggered, asked, texts, offer, context };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('growing suggestions', () => {
  const { executeCommand } = vscode.commands;
  const { activeTextEditor } = vscode.window;
  afterEach(() => {
    Object.assign(vscode.commands, { executeCommand });
    Object.assign(vscode.window, { activeTextEditor });
  });

  it('are shown by their first part, and then whole, without another request', async () => {
    const { requests, triggered, texts } = asking();
    const shown = texts();
    requests[0]?.part('{');
    assert.deepEqual(await shown, ['{']);
    assert.deepEqual(triggered, []);
    requests[0]?.part('{\n  a();');
    requests[0]?.answer('{\n  a();\n}');
    await settled();
    assert.deepEqual(triggered, ['editor.action.inlineSuggest.trigger']);
    assert.deepEqual(await texts(), ['{\n  a();\n}']);
    assert.equal(requests.length, 1);
  });

  it('of which some were shown on demand are hidden first, as VS Code would not ask again', async () => {
    const { requests, triggered, texts } = asking({ triggerKind: Invoke });
    const shown = texts();
    requests[0]?.part('a');
    assert.deepEqual(await shown, ['a']);
    requests[0]?.answer('a', 'b');
    await settled();
    assert.deepEqual(
      triggered.map((id) => id.replace(/.*\./, '')),
      ['hide', 'trigger'],
    );
    assert.deepEqual(await texts(), ['a', 'b']);
  });

  it('are shown once where the answer is what was shown', async () => {
    const { requests, triggered, texts } = asking();
    const shown = texts();
    requests[0]?.part('1;');
    requests[0]?.answer('1;');
    assert.deepEqual(await shown, ['1;']);
    await settled();
    assert.deepEqual(triggered, []);
  });

  it('stay away when Escape comes between the first part and the rest, until somebody asks', async () => {
    const { requests, triggered, texts, offer } = asking();
    const shown = texts();
    requests[0]?.part('{');
    await shown;
    requests[0]?.answer('{\n}');
    await settled();
    assert.equal(triggered.length, 1);
    offer.isOffered = false;
    assert.deepEqual(await texts(), []);
    const wanted = texts();
    requests[1]?.answer('{\n}');
    assert.deepEqual(await wanted, ['{\n}']);
  });

  it('answer a request on demand where VS Code did not ask for them, and Escape came after that', async () => {
    const { requests, asked, texts, offer } = asking();
    const shown = texts();
    requests[0]?.part('{');
    await shown;
    requests[0]?.answer('{\n}');
    await settled();
    for (const end of asked) end();
    await settled();
    offer.isOffered = false;
    const wanted = texts();
    requests[1]?.answer('{\n}');
    assert.deepEqual(await wanted, ['{\n}']);
  });

  it('answer a request on demand where VS Code has shown them, but not told yet, and Escape came after that', async () => {
    const { requests, texts, offer } = asking();
    const shown = texts();
    requests[0]?.part('{');
    await shown;
    requests[0]?.answer('{\n}');
    await settled();
    assert.deepEqual(await texts(), ['{\n}']);
    offer.isOffered = false;
    const wanted = texts();
    requests[1]?.answer('{\n}');
    assert.deepEqual(await wanted, ['{\n}']);
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
    it(`are not those of another ${what}`, async () => {
      const window = asking();
      const { requests, texts } = window;
      const shown = texts();
      requests[0]?.part('{');
      await shown;
      requests[0]?.answer('{\n}');
      await settled();
      const next = texts(move(window));
      requests[1]?.answer('log(1)');
      assert.deepEqual(await next, ['log(1)']);
    });

  it('of a request that VS Code cancels wait for the one with an entry, which comes first', async () => {
    const document = { uri: vscode.Uri.file('/a.ts'), version: 1 } as vscode.TextDocument;
    const order: string[] = [];
    const ask: AskItems = (_, __, token) => {
      const name = String(order.length);
      order.push(`asked ${name}`);
      return new Promise((resolve) => {
        token.onCancellationRequested(() => {
          order.push(`cancelled ${name}`);
          resolve(null);
        });
      });
    };
    const acceptance = { isOffered: () => false };
    const suggestions = new GrowingSuggestions(ask, acceptance, { error: () => undefined });
    const context = { triggerKind: Automatic, selectedCompletionInfo: undefined };
    const source = new vscode.CancellationTokenSource();
    const first = suggestions.items(document, AT, context, source.token);
    source.cancel();
    await settled();
    const selectedCompletionInfo = { range: new vscode.Range(AT, AT), text: 'log' };
    void suggestions.items(document, AT, { ...context, selectedCompletionInfo }, NEVER);
    assert.deepEqual(await first, []);
    assert.deepEqual(order, ['asked 0', 'asked 1', 'cancelled 0']);
  });

  it('stay as they are once they were given up or the text has changed', async () => {
    for (const [isOffered, version] of [
      [false, 1],
      [true, 2],
    ] as const) {
      const each = asking({ isOffered });
      const shown = each.texts();
      each.requests[0]?.part('{');
      await shown;
      Object.assign(each.document, { version });
      each.requests[0]?.answer('{\n}');
      await settled();
      assert.deepEqual(each.triggered, []);
    }
  });

  it('leave nothing behind that could cancel them, whether answered, cancelled or failed', async () => {
    const document = { uri: vscode.Uri.file('/a.ts'), version: 1 } as vscode.TextDocument;
    const context = { triggerKind: Automatic, selectedCompletionInfo: undefined };
    const before = CancellationTokenSource.open.size;
    const outcomes: readonly AskItems[] = [
      () => Promise.resolve(itemsOf('a')),
      () => Promise.reject(new Error('gone')),
      (_, __, token) => new Promise((resolve) => token.onCancellationRequested(() => resolve(null))),
    ];
    for (const ask of outcomes) {
      const suggestions = new GrowingSuggestions(ask, { isOffered: () => false }, { error: () => undefined });
      const source = new vscode.CancellationTokenSource();
      const asked = suggestions.items(document, AT, context, source.token);
      source.cancel();
      await asked;
      source.dispose();
      await settled();
    }
    assert.equal(CancellationTokenSource.open.size, before);
  });

  it('end with the next request, and nothing of them is shown then', async () => {
    const { requests, triggered, texts } = asking();
    const first = texts();
    requests[0]?.part('{');
    await first;
    const second = texts();
    requests[0]?.answer('{\n}');
    requests[1]?.answer('2;');
    assert.deepEqual(await second, ['2;']);
    assert.deepEqual(triggered, []);
    while (!requests[0]?.token.isCancellationRequested)
      await new Promise((resolve) => setTimeout(resolve, 10));
  });
});
