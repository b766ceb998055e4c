// Tests the generate command with a fake editor: what it writes and says, and what ends it.
// test/host/suite/generate.test.ts tests it in VS Code.
import assert from 'node:assert/strict';
import type { CancellationToken } from 'vscode';
import type { GenerateResult } from '../../server/protocol/messages';
import { generateInEditor } from '../../src/instruct/editorGeneration';
import { GenerationRun } from '../../src/instruct/generationRun';
import type { InstructParts } from '../../src/instruct/instructParts';
import { settled } from '../lsp/manualClock';
import { commands, documents, Range, window, workspace } from './support/fakeVscode';
import { WritableEditor } from './support/writableEditor';

describe('the generate command', () => {
  const { openTextDocument } = workspace;
  const original = { ...window };
  let editor: WritableEditor;
  let messages: string[];
  let logged: unknown[];
  let params: { start?: number; end?: number; instruction?: string; uri?: string };
  /** Sends a part of the answer. */
  let part: (text: string) => void;
  /** Ends the answer. */
  let answer: (result: Partial<GenerateResult>) => void;
  let fail: (error: unknown) => void;
  let token: CancellationToken;
  let progress: string[];
  let cancelByUser: () => void;
  let run: GenerationRun;
  let reason: 'secret' | undefined;
  let allowsModel: boolean;
  let onVisible: () => void;

  beforeEach(() => {
    messages = [];
    logged = [];
    progress = [];
    reason = undefined;
    allowsModel = true;
    editor = new WritableEditor('abc\n');
    editor.moveTo(1);
    window.activeTextEditor = editor;
    window.visibleTextEditors = [editor];
    window.statusBarMessages = [];
    for (const kind of ['showInformationMessage', 'showErrorMessage'] as const)
      window[kind] = (message) => Promise.resolve(void messages.push(message));
    window.withProgress = (_, work) =>
      work(
        { report: ({ message }) => progress.push(message) },
        { onCancellationRequested: (listener) => (cancelByUser = listener) },
      );
    window.onDidChangeVisibleTextEditors = (listener) => {
      onVisible = listener as () => void;
      return { dispose: () => undefined };
    };
    workspace.openTextDocument = () => Promise.resolve(editor.document as never);
    run = new GenerationRun({ error: (...words: unknown[]) => logged.push(words) } as never);
  });
  afterEach(() => {
    Object.assign(window, original, { activeTextEditor: undefined, visibleTextEditors: [] });
    workspace.openTextDocument = openTextDocument;
  });

  function generate(given?: unknown): Promise<void> {
    return generateInEditor(
      {
        client: {
          stream: (
            _: string,
            sent: typeof params,
            onDelta: (delta: { text: string }) => void,
            sentToken: CancellationToken,
          ) => {
            params = sent;
            token = sentToken;
            part = (text) => onDelta({ text });
            return new Promise((resolve, reject) => {
              answer = (result) => resolve({ finishReason: 'stop', text: 'x', ...result });
              fail = reject;
            });
          },
        },
        gate: { whyNoGeneration: () => reason },
        documents: { keepVisible: (_: unknown, work: () => Promise<void>) => work() },
        run,
        mayInstruct: () => Promise.resolve(allowsModel),
      } as unknown as InstructParts,
      given,
    );
  }

  it('writes the answer over the selection as one undo step, and scrolls along with a cursor at its end', async () => {
    editor.moveTo(1, 2);
    const running = generate(' sum ');
    await settled();
    assert.deepEqual(params, { uri: 'file:///a.ts', start: 1, end: 2, instruction: 'sum' });
    assert.equal(commands.context['flashline.generating'], true);
    part('12');
    await settled();
    assert.equal(editor.text, 'a1c\n', 'the last character is held back');
    editor.moveTo(2);
    part('3');
    await settled();
    assert.deepEqual(progress, ['2 characters', '3 characters']);
    answer({ text: '123' });
    await running;
    assert.equal(editor.text, 'a123c\n');
    assert.deepEqual(editor.stops, [
      [true, false],
      [false, false],
      [false, true],
    ]);
    assert.equal(editor.reveals, 2);
    assert.deepEqual(window.statusBarMessages, ['Flashline: generated 3 characters']);
    assert.equal(commands.context['flashline.generating'], false);
  });

  it('goes on when VS Code adapts the line ends of its text, and writes again after a refusal', async () => {
    editor.eol = '\r\n';
    editor.accepts = (tries) => tries > 1;
    const running = generate('sum');
    await settled();
    for (const text of ['1\n', '2\n', '3']) {
      part(text);
      await settled();
    }
    answer({});
    await running;
    assert.equal(editor.text, 'a1\r\n2\r\n3bc\n');
    assert.ok(!token.isCancellationRequested);
  });

  for (const [what, change] of [
    ['another place is edited', () => editor.change([{ range: new Range(0, 0, 0, 0), text: '/' }])],
    [
      'the document is closed',
      () => documents.closed.fire(Object.assign(editor.document, { isClosed: true })),
    ],
  ] as readonly (readonly [string, () => void])[])
    it(`ends when ${what}, and keeps the text so far`, async () => {
      const running = generate('sum');
      await settled();
      part('12');
      await settled();
      change();
      const { text } = editor;
      assert.ok(token.isCancellationRequested);
      part('345');
      answer({ finishReason: 'cancelled' });
      await running;
      assert.equal(editor.text, text);
    });

  it('ends when one event reports its write together with another change', async () => {
    const running = generate('sum');
    await settled();
    editor.otherChanges = [{ range: new Range(0, 0, 0, 0), text: '/' }];
    part('12');
    await settled();
    assert.ok(token.isCancellationRequested);
    answer({ finishReason: 'cancelled' });
    await running;
    assert.equal(editor.text, '/a1bc\n');
  });

  it('goes on when another document changes, or its document is reopened in another language', async () => {
    const running = generate('sum');
    await settled();
    documents.changed.fire({ document: {}, contentChanges: [{}] });
    documents.changed.fire({ document: editor.document, contentChanges: [] });
    documents.closed.fire(editor.document);
    documents.closed.fire({ isClosed: true });
    assert.ok(!token.isCancellationRequested);
    part('12');
    answer({ text: '12' });
    await running;
    assert.equal(editor.text, 'a12bc\n');
  });

  it('waits while its document is hidden, until it is cancelled', async () => {
    const running = generate('sum');
    await settled();
    window.activeTextEditor = undefined;
    window.visibleTextEditors = [];
    part('123');
    await settled();
    assert.equal(editor.text, 'abc\n');
    window.visibleTextEditors = [editor];
    onVisible();
    await settled();
    assert.equal(editor.text, 'a12bc\n');
    window.visibleTextEditors = [];
    part('4');
    await settled();
    cancelByUser();
    answer({ finishReason: 'cancelled' });
    await running;
    assert.equal(editor.text, 'a12bc\n');
  });

  for (const [result, says] of [
    [{ finishReason: 'length' }, /token limit \(flashline\.maxGenerateTokens\)/],
    [{ finishReason: 'repetition' }, /kept repeating itself/],
    [{ finishReason: 'cancelled', text: '' }, /cancelled; the text so far is kept/],
    [{ finishReason: 'abandoned', text: '' }, /cancelled; the text so far is kept/],
    [{ finishReason: 'superseded', text: '' }, /the model was unloaded; the text so far is kept/],
  ] as const)
    it(`says how an answer ended: ${result.finishReason}`, async () => {
      const running = generate('sum');
      await settled();
      answer(result);
      await running;
      assert.match(window.statusBarMessages.join(), says);
      assert.deepEqual(messages, []);
    });

  it('reports an empty answer and a failure, but no failure after a cancellation', async () => {
    let running = generate('sum');
    await settled();
    answer({ text: '' });
    await running;
    assert.match(messages.splice(0).join(), /^The model wrote no code/);
    running = generate('sum');
    await settled();
    fail(new Error('no model'));
    await running;
    assert.deepEqual(messages.splice(0), ['Flashline could not generate code: no model']);
    assert.equal(logged.length, 1);
    running = generate('sum');
    await settled();
    run.cancel();
    assert.ok(token.isCancellationRequested);
    fail(new Error('cancelled'));
    await running;
    assert.deepEqual([messages, logged.length], [[], 1]);
    assert.ok(run.isFree(), 'another generation can run');
  });

  it('asks for the instruction unless the caller passes it or the user declines the model', async () => {
    const prompts: unknown[] = [];
    const typed = [undefined, '  '];
    window.showInputBox = ({
      title,
      placeHolder,
      ignoreFocusOut,
    }: {
      title?: string;
      placeHolder?: string;
      prompt?: string;
      ignoreFocusOut?: boolean;
    }) => {
      assert.equal(ignoreFocusOut, true, 'the box stays open while another window has the focus');
      prompts.push([title, placeHolder]);
      return Promise.resolve(typed.shift());
    };
    await generate();
    editor.moveTo(0, 1);
    await generate();
    assert.deepEqual(prompts, [
      ['Generate code at the cursor', 'a function that parses an ISO date'],
      ['Rewrite the selection', 'make it handle an empty list'],
    ]);
    allowsModel = false;
    await generate();
    assert.equal(prompts.length, 2);
    const running = generate('sum');
    await settled();
    answer({});
    await running;
    assert.equal(params.instruction, 'sum', 'a caller that passes the instruction is not asked');
  });

  it('runs one generation at a time, and only in an open file that is not secret', async () => {
    const running = generate('sum');
    await settled();
    await generate('other');
    assert.equal(params.instruction, 'sum');
    assert.deepEqual(messages.splice(0), ['Flashline is already generating code. Cancel that first.']);
    answer({});
    await running;
    reason = 'secret';
    await generate('other');
    assert.match(messages.splice(0).join(), /^Flashline cannot generate code here: This file may contain/);
    window.activeTextEditor = undefined;
    window.showTextDocument = () => assert.fail('a refused document is not shown');
    await generate('other');
    assert.match(messages.join(), /^Flashline cannot generate code here/);
    assert.equal(params.instruction, 'sum');
  });

  it('writes into a new file where no editor is active, and makes it once there is an instruction', async () => {
    window.activeTextEditor = undefined;
    let made = 0;
    workspace.openTextDocument = () => {
      made += 1;
      return Promise.resolve({ languageId: 'plaintext' } as never);
    };
    // VS Code can show another object for the new document.
    window.showTextDocument = () => Promise.resolve(editor);
    window.showInputBox = () => Promise.resolve(undefined);
    await generate();
    allowsModel = false;
    await generate();
    assert.equal(made, 0);
    const running = generate('sum');
    await settled();
    assert.deepEqual(params, { uri: 'file:///a.ts', start: 1, end: 1, instruction: 'sum' });
    part('12');
    answer({ text: '12' });
    await running;
    assert.deepEqual([made, editor.text, messages], [1, 'a12bc\n', []]);
  });

  it('runs once if the user answers two questions for an instruction', async () => {
    const answers: ((instruction: string) => void)[] = [];
    window.showInputBox = () => new Promise((resolve) => answers.push(resolve));
    const running = [generate(), generate()];
    await settled();
    for (const [i, give] of answers.entries()) give(`sum ${String(i)}`);
    await settled();
    assert.equal(params.instruction, 'sum 0');
    assert.deepEqual(messages, ['Flashline is already generating code. Cancel that first.']);
    answer({});
    await Promise.all(running);
  });

  it('ignores changes of its document once it has ended', async () => {
    const running = generate('sum');
    await settled();
    answer({});
    await running;
    editor.change([{ range: new Range(0, 0, 0, 0), text: '/' }]);
    documents.closed.fire(Object.assign(editor.document, { isClosed: true }));
    assert.ok(!token.isCancellationRequested);
  });
});
