// Tests ghost text that grows: the first part is the answer, and VS Code is triggered to request again once there is
// more, unless the user has dismissed it.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FlashlineClient } from '../../src/connection/client';
import { GrowingSuggestions } from '../../src/ghostText/growingSuggestions';
import { ManualClock } from '../lsp/manualClock';
import { fake } from '../support/fake';

const AT = new vscode.Position(0, 0);
const { Automatic, Invoke } = vscode.InlineCompletionTriggerKind;
const NEVER = new vscode.CancellationTokenSource().token;

function itemsOf(...texts: string[]) {
  return texts.map((insertText) => ({ insertText }));
}

interface WindowOptions {
  readonly isOffered?: boolean;
  readonly selected?: vscode.SelectedCompletionInfo;
}

/** Creates a window with requests that a test answers; `triggered` has the commands of VS Code that were run. */
function openWindow({ isOffered = true, selected }: WindowOptions = {}) {
  const document = { uri: vscode.Uri.file('/a.ts'), version: 1 } as vscode.TextDocument;
  const requests: {
    readonly part: (...texts: string[]) => void;
    readonly answer: (...texts: string[]) => void;
    readonly fail: (error: Error) => void;
    readonly token: vscode.CancellationToken;
    readonly triggerKind: vscode.InlineCompletionTriggerKind;
  }[] = [];
  const suggest: FlashlineClient['suggestions'] = ({ context: { triggerKind } }, onPart, token) =>
    new Promise((resolve, fail) => {
      token.onCancellationRequested(() => resolve([]));
      requests.push({
        part: (...texts) => onPart(itemsOf(...texts)),
        answer: (...texts) => resolve(itemsOf(...texts)),
        fail,
        token,
        triggerKind,
      });
    });
  const triggered: string[] = [];
  const logged: unknown[] = [];
  /** Callbacks that end the commands of VS Code. */
  const commandEnds: (() => void)[] = [];
  Object.assign(vscode.commands, {
    executeCommand: (id: string) => {
      triggered.push(id);
      return new Promise<void>((resolve) => commandEnds.push(resolve));
    },
  });
  const editor = { document, selection: { active: AT } };
  Object.assign(vscode.window, { activeTextEditor: editor });
  const offer = { isOffered };
  const acceptance = { isOffered: () => offer.isOffered };
  const suggestions = new GrowingSuggestions(
    fake({ suggestions: suggest }),
    fake(acceptance),
    fake({ error: (...words) => void logged.push(words) }),
  );
  const context = { triggerKind: Automatic, selectedCompletionInfo: selected };
  const texts = async (at = AT, token = NEVER): Promise<string[]> =>
    (await suggestions.items(document, at, context, token)).map(({ insertText }) => insertText as string);
  return { document, editor, requests, triggered, logged, commandEnds, texts, offer, context, suggestions };
}

/** Returns the names of commands without their common prefix. */
const namesOf = (ids: readonly string[]): string[] =>
  ids.map((id) => id.replace('editor.action.inlineSuggest.', ''));

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Opens a window that shows the first part of a suggestion, after which its complete answer has arrived. */
async function windowWithMoreText(options?: WindowOptions) {
  const window = openWindow(options);
  const shown = window.texts();
  window.requests[0]?.part('{');
  assert.deepEqual(await shown, ['{']);
  assert.deepEqual(window.triggered, []);
  window.requests[0]?.answer('{\n}', '{}');
  await settled();
  return window;
}

describe('GrowingSuggestions', () => {
  const { executeCommand } = vscode.commands;
  const { activeTextEditor } = vscode.window;
  afterEach(() => {
    Object.assign(vscode.commands, { executeCommand });
    Object.assign(vscode.window, { activeTextEditor });
  });

  it('shows the first part of a suggestion, and then all of it, with one request', async () => {
    const { requests, triggered, texts } = await windowWithMoreText();
    assert.deepEqual(namesOf(triggered), ['hide', 'trigger']);
    assert.deepEqual(await texts(), ['{\n}', '{}']);
    assert.equal(requests.length, 1);
  });

  it('keeps a suggestion visible while it grows beside a selected entry of the list', async () => {
    const selected = { range: new vscode.Range(AT, AT), text: '{' };
    const { triggered } = await windowWithMoreText({ selected });
    assert.deepEqual(namesOf(triggered), ['trigger']);
  });

  it('shows a suggestion once when its first part is all of it', async () => {
    const { requests, triggered, texts } = openWindow();
    const shown = texts();
    requests[0]?.part('1;');
    requests[0]?.answer('1;');
    assert.deepEqual(await shown, ['1;']);
    await settled();
    assert.deepEqual(triggered, []);
  });

  // `isTriggered`: VS Code still has to make the request that was triggered for the rest.
  for (const [when, happens, isTriggered] of [
    ['before VS Code requests the rest', () => undefined, true],
    [
      'after VS Code made no request for the rest',
      ({ commandEnds }) => commandEnds.forEach((end) => end()),
      false,
    ],
    ['after VS Code requested the rest', ({ texts }) => texts(), false],
  ] as readonly (readonly [string, (window: ReturnType<typeof openWindow>) => unknown, boolean])[])
    it(`shows a dismissed suggestion again only for a new request (Escape ${when})`, async () => {
      const window = await windowWithMoreText();
      await happens(window);
      await settled();
      window.offer.isOffered = false;
      if (isTriggered) assert.deepEqual(await window.texts(), []);
      const shown = window.texts();
      window.requests[1]?.answer('{\n}');
      assert.deepEqual(await shown, ['{\n}']);
    });

  const selectedCompletionInfo = { range: new vscode.Range(AT, AT), text: 'log' };
  for (const [what, move] of [
    [
      'entry of the IntelliSense list',
      ({ context }) => void Object.assign(context, { selectedCompletionInfo }),
    ],
    ['version of the text', ({ document }) => void Object.assign(document, { version: 2 })],
    ['position', () => new vscode.Position(0, 1)],
  ] as readonly (readonly [string, (window: ReturnType<typeof openWindow>) => vscode.Position | undefined])[])
    it(`requests again for another ${what}`, async () => {
      const window = await windowWithMoreText();
      const next = window.texts(move(window));
      window.requests[1]?.answer('log(1)');
      assert.deepEqual(await next, ['log(1)']);
    });

  it('cancels a request only after VS Code has had time to request a list entry', async () => {
    const clock = new ManualClock();
    const { requests, texts, context } = openWindow();
    const source = new vscode.CancellationTokenSource();
    const first = texts(AT, source.token);
    source.cancel();
    // VS Code requests a list entry 50 ms after it has cancelled the request before.
    await clock.pass(50);
    Object.assign(context, { selectedCompletionInfo });
    void texts();
    assert.equal(requests.length, 2);
    assert.equal(requests[0]?.token.isCancellationRequested, false);
    await clock.pass(1000);
    assert.deepEqual(await first, []);
  });

  /** Opens a window in which VS Code has stopped waiting for the first request, at the same text. */
  async function windowThatGaveUp(options: WindowOptions = {}) {
    const clock = new ManualClock();
    const window = openWindow({ isOffered: false, ...options });
    const source = new vscode.CancellationTokenSource();
    const shown = window.texts(AT, source.token);
    source.cancel();
    assert.deepEqual(await shown, [], 'VS Code has its answer at once');
    const [request] = window.requests;
    assert.ok(request);
    return { ...window, clock, request };
  }

  it('shows and grows a suggestion for which VS Code has stopped waiting', async () => {
    const { clock, request, requests, triggered, texts, offer } = await windowThatGaveUp();
    await clock.pass(1000);
    assert.equal(request.token.isCancellationRequested, false);
    request.part('{');
    assert.deepEqual(namesOf(triggered.splice(0)), ['trigger']);
    assert.deepEqual(await texts(), ['{']);
    offer.isOffered = true;
    request.answer('{\n}');
    await settled();
    assert.deepEqual(namesOf(triggered), ['hide', 'trigger']);
    assert.deepEqual(await texts(), ['{\n}']);
    assert.equal(requests.length, 1);
  });

  it('shows a complete suggestion after an empty first part', async () => {
    const { requests, triggered, texts } = openWindow({ isOffered: false });
    const shown = texts();
    requests[0]?.part();
    assert.deepEqual(await shown, []);
    requests[0]?.answer('1;');
    await settled();
    assert.deepEqual(namesOf(triggered), ['trigger']);
    assert.deepEqual(await texts(), ['1;']);
  });

  it('shows all of a suggestion that is complete before VS Code has requested its late part', async () => {
    const { request, triggered, texts } = await windowThatGaveUp();
    request.part('{');
    request.answer('{\n}');
    await settled();
    assert.deepEqual(namesOf(triggered), ['trigger']);
    assert.deepEqual(await texts(), ['{\n}']);
  });

  for (const [where, options, move] of [
    ['at another position', {}, { selection: { active: new vscode.Position(0, 1) } }],
    ['beside a selected entry', { selected: { range: new vscode.Range(AT, AT), text: 'log' } }, {}],
  ] as const)
    it(`cancels a request for which VS Code has stopped waiting ${where}`, async () => {
      const { clock, request, editor } = await windowThatGaveUp(options);
      Object.assign(editor, move);
      await clock.pass(119);
      assert.equal(request.token.isCancellationRequested, false);
      await clock.pass(1);
      assert.equal(request.token.isCancellationRequested, true);
    });

  it('reports the request that the next one continues, until that has been made', async () => {
    const { clock, request, suggestions, texts } = await windowThatGaveUp();
    const continued = () => suggestions.continued;
    assert.equal(continued(), undefined);
    await clock.pass(900);
    request.part('{');
    assert.deepEqual([continued()?.isExplicit, continued()?.at], [false, 0]);
    await texts();
    assert.equal(continued(), undefined);
  });

  // VS Code reports a request as the user's if a command has triggered it.
  for (const kinds of [[Invoke], [Automatic, Invoke]])
    it(`keeps requests automatic that VS Code makes beside a list for a trigger: ${kinds.join(', ')}`, async () => {
      const { context, requests, texts, commandEnds } = await windowWithMoreText();
      context.selectedCompletionInfo = { range: new vscode.Range(AT, AT), text: 'log' };
      for (const triggerKind of kinds) {
        context.triggerKind = triggerKind;
        void texts();
      }
      await settled();
      const reported = requests.map(({ triggerKind }) => triggerKind);
      assert.deepEqual(reported, [Automatic, ...kinds.map(() => Automatic)]);
      for (const end of commandEnds) end();
      await settled();
      context.triggerKind = Invoke;
      void texts();
      assert.equal(requests.at(-1)?.triggerKind, Invoke, 'the next one is by the user');
    });

  it('keeps the request of a second trigger automatic after the first trigger has ended', async () => {
    const { document, request, context, texts, commandEnds, suggestions, offer } = await windowThatGaveUp();
    request.part('{');
    await texts();
    offer.isOffered = true;
    request.answer('{\n}');
    await settled();
    commandEnds[0]?.();
    await settled();
    const isExplicit = (at: vscode.TextDocument) =>
      suggestions.isExplicit(at, { ...context, triggerKind: Invoke });
    assert.equal(isExplicit(document), false);
    assert.equal(isExplicit({ ...document }), true, 'in another document');
    assert.deepEqual(await texts(), ['{\n}']);
  });

  it('takes the next request for the user’s after VS Code has failed to run a trigger', async () => {
    const { request, document, context, suggestions } = await windowThatGaveUp();
    Object.assign(vscode.commands, { executeCommand: () => Promise.reject(new Error('gone')) });
    request.part('{');
    await settled();
    assert.equal(suggestions.isExplicit(document, { ...context, triggerKind: Invoke }), true);
    assert.equal(suggestions.continued, undefined);
  });

  it('makes no request explicit that VS Code makes while the user types', async () => {
    const { document, context, suggestions, texts, requests } = openWindow();
    context.triggerKind = Invoke;
    const shown = texts();
    requests[0]?.part('{');
    await shown;
    requests[0]?.answer('{\n}');
    await settled();
    assert.equal(suggestions.isExplicit(document, context), true);
    assert.equal(suggestions.isExplicit(document, { ...context, triggerKind: Automatic }), false);
  });

  it('is requesting until all requests are answered or have failed', async () => {
    const { requests, texts, suggestions } = openWindow();
    assert.equal(suggestions.isRequesting, false);
    void texts();
    requests[0]?.part('{');
    void texts();
    await settled();
    requests[0]?.answer('{\n}');
    await settled();
    assert.equal(suggestions.isRequesting, true);
    requests[1]?.fail(new Error('gone'));
    await settled();
    assert.equal(suggestions.isRequesting, false);
  });

  it('returns no items when the request fails', async () => {
    const { requests, texts } = openWindow();
    const shown = texts();
    requests[0]?.fail(new Error('gone'));
    assert.deepEqual(await shown, []);
  });

  it('shows no more of a suggestion after a dismissal or a change of the text', async () => {
    for (const [isOffered, version] of [
      [false, 1],
      [true, 2],
    ] as const) {
      const { texts, requests, document, triggered } = openWindow({ isOffered });
      void texts();
      requests[0]?.part('{');
      Object.assign(document, { version });
      requests[0]?.answer('{\n}');
      await settled();
      assert.deepEqual(triggered, []);
    }
  });

  it('cancels the previous request after a new one, and shows nothing more of it', async () => {
    const { requests, triggered, texts } = openWindow();
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

  for (const [what, happens] of [
    ['another document is active', ({ editor }) => Object.assign(editor, { document: { version: 1 } })],
    [
      'the cursor has moved',
      ({ editor }) => Object.assign(editor, { selection: { active: new vscode.Position(0, 1) } }),
    ],
    ['no editor is active', () => Object.assign(vscode.window, { activeTextEditor: undefined })],
  ] as readonly (readonly [string, (window: ReturnType<typeof openWindow>) => unknown])[])
    it(`shows no more of a suggestion when ${what}`, async () => {
      const window = openWindow();
      void window.texts();
      window.requests[0]?.part('{');
      happens(window);
      window.requests[0]?.answer('{\n}');
      await settled();
      assert.deepEqual(window.triggered, []);
    });

  it('shows no more of a suggestion whose complete answer is empty', async () => {
    const { requests, triggered, texts } = openWindow();
    void texts();
    requests[0]?.part('{');
    requests[0]?.answer();
    await settled();
    assert.deepEqual(triggered, []);
  });

  it('requests again in another document at the same position and version', async () => {
    const { requests, suggestions, context } = await windowWithMoreText();
    const other = { uri: vscode.Uri.file('/b.ts'), version: 1 } as vscode.TextDocument;
    const next = suggestions.items(other, AT, context, NEVER);
    requests[1]?.answer('2;');
    assert.deepEqual(
      (await next).map(({ insertText }) => insertText),
      ['2;'],
    );
  });

  it('cancels a request immediately if the text has changed', async () => {
    const clock = new ManualClock();
    const { requests, texts, document } = openWindow();
    const source = new vscode.CancellationTokenSource();
    const shown = texts(AT, source.token);
    Object.assign(document, { version: 2 });
    source.cancel();
    await clock.pass(0);
    assert.equal(requests[0]?.token.isCancellationRequested, true);
    assert.deepEqual(await shown, []);
  });

  it('listens for the cancellation of a request only until it is answered', async () => {
    const listeners = new Set<() => void>();
    const token = {
      isCancellationRequested: false,
      onCancellationRequested: (listener: () => void) => {
        listeners.add(listener);
        return { dispose: () => void listeners.delete(listener) };
      },
    } as unknown as vscode.CancellationToken;
    const { requests, texts } = openWindow();
    const shown = texts(AT, token);
    assert.equal(listeners.size, 1);
    requests[0]?.answer('1;');
    await shown;
    assert.equal(listeners.size, 0);
  });

  it('logs the failure of a request, unless it was cancelled', async () => {
    for (const isCancellationRequested of [false, true]) {
      const { requests, texts, logged } = openWindow();
      const shown = texts();
      Object.assign(requests[0]?.token ?? {}, { isCancellationRequested });
      requests[0]?.fail(new Error('gone'));
      assert.deepEqual(await shown, []);
      assert.equal(logged.length, isCancellationRequested ? 0 : 1);
    }
  });
});
