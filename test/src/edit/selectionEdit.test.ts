// Tests the edit command: the lines that it sends and replaces, and its messages. They advise to select less only if
// the token limit was too small. test/e2e/engine/edit.test.ts tests proposals in VS Code.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { GenerateParams, GenerateResult } from '../../../server/protocol/messages';
import { SelectionEdit, type EditParts } from '../../../src/instruct/edit/selectionEdit';
import type { GateReason } from '../../../src/gate/gateReasons';
import { documents, Selection, window } from '../support/fakeVscode';

const CODE = 'const total = items.length;';
/** Token limit, too small for the code. */
const LIMIT = 9;

/** Edits a selection with an answer of the server that cannot be used; returns the message that is shown. */
async function messageFor(answer: Partial<GenerateResult>): Promise<string> {
  const document = {
    uri: vscode.Uri.file('/a.ts'),
    languageId: 'typescript',
    offsetAt: ({ character }: vscode.Position) => character,
    lineAt: () => ({
      text: CODE,
      range: new vscode.Range(new vscode.Position(0, 0), new vscode.Position(0, CODE.length)),
    }),
  } as unknown as vscode.TextDocument;
  const parts = {
    client: {
      stream: (_: string, { maxTokens }: GenerateParams) => {
        assert.equal(maxTokens, CODE.length / 2 + 0.5);
        return Promise.resolve(answer);
      },
    },
    configuration: { settings: { server: { maxGenerateTokens: LIMIT } } },
    gate: { whyNoGeneration: () => undefined },
    documents: { keepVisible: (_: unknown, work: () => Promise<void>) => work() },
    run: {
      isFree: () => true,
      run: (_: string, __: string, work: (...args: unknown[]) => Promise<void>) =>
        work(new vscode.CancellationTokenSource(), () => undefined),
    },
    pending: { hunksOf: () => [], propose: () => assert.fail('something is proposed') },
    mayInstruct: (purpose: string) => Promise.resolve(purpose === 'edit'),
  };
  const messages: string[] = [];
  const { showInformationMessage } = window;
  window.showInformationMessage = (message) => Promise.resolve(void messages.push(message));
  try {
    const lines = { document, from: 0, to: 1 };
    await new SelectionEdit(parts as unknown as EditParts).apply(
      () => lines,
      () => Promise.resolve('shorten it'),
    );
  } finally {
    window.showInformationMessage = showInformationMessage;
  }
  assert.equal(messages.length, 1);
  return messages.join();
}

/** Edits in a document of these lines; records what is sent, proposed and shown. */
class Editing {
  readonly requests: GenerateParams[] = [];
  readonly proposals: (readonly [from: number, to: number, lines: readonly string[]])[] = [];
  readonly messages: string[] = [];
  readonly document: vscode.TextDocument;
  selection = new Selection(0, 0, 0, 0);
  answer: Partial<GenerateResult> = { text: 'x', finishReason: 'stop' };
  reason: GateReason | undefined;
  hunkCount = 0;
  isFree = true;
  isAccepted = true;
  allowsModel = true;
  /** Called while the server computes the answer. */
  meanwhile: () => void = () => undefined;
  isHidden = true;
  /** Counts of characters that were reported. */
  readonly reports: number[] = [];
  readonly sources: vscode.CancellationTokenSource[] = [];

  constructor(lines: readonly string[]) {
    this.document = {
      uri: vscode.Uri.file('/project/a.ts'),
      languageId: 'typescript',
      lineCount: lines.length,
      offsetAt: ({ line, character }: vscode.Position) => 100 * line + character,
      lineAt: (line: number) => ({
        text: lines[line],
        isEmptyOrWhitespace: lines[line]?.trim() === '',
        range: new vscode.Range(line, 0, line, lines[line]?.length ?? 0),
      }),
    } as unknown as vscode.TextDocument;
  }

  /** Runs the command with an instruction. */
  async edit(instruction: unknown = 'shorten it'): Promise<void> {
    const { showInformationMessage } = window;
    window.showInformationMessage = (message) => Promise.resolve(void this.messages.push(message));
    window.activeTextEditor = { document: this.document, selection: this.selection };
    try {
      await new SelectionEdit(this.#parts).edit(instruction);
    } finally {
      window.showInformationMessage = showInformationMessage;
      window.activeTextEditor = undefined;
    }
  }

  get #parts(): EditParts {
    return {
      client: {
        stream: (_: string, params: GenerateParams, onPart: (part: { text: string }) => void) => {
          this.requests.push(params);
          assert.ok(!this.isHidden, 'the document is visible to the server during the request');
          for (const text of ['part', ' two']) onPart({ text });
          this.meanwhile();
          return Promise.resolve(this.answer);
        },
      },
      configuration: { settings: { server: { maxGenerateTokens: LIMIT } } },
      gate: { whyNoGeneration: () => this.reason },
      documents: {
        keepVisible: async (_: unknown, work: () => Promise<void>) => {
          this.isHidden = false;
          await work();
          this.isHidden = true;
        },
      },
      run: {
        isFree: () => this.isFree,
        run: (_: string, __: string, work: (...args: unknown[]) => Promise<void>) => {
          const source = new vscode.CancellationTokenSource();
          this.sources.push(source);
          return work(source, (count: number) => this.reports.push(count));
        },
      },
      pending: {
        hunksOf: () => Array.from({ length: this.hunkCount }, () => ({ line: 7 })),
        propose: (_: unknown, from: number, to: number, lines: readonly string[]) => {
          this.proposals.push([from, to, lines]);
          return Promise.resolve(this.isAccepted);
        },
      },
      mayInstruct: () => Promise.resolve(this.allowsModel),
    } as unknown as EditParts;
  }
}

describe('SelectionEdit', () => {
  for (const [what, lines, selection, from, to] of [
    ['the line of the cursor', ['a', 'b', 'c'], [1, 1, 1, 1], 1, 2],
    ['the selected lines', ['a', 'b', 'c'], [0, 1, 1, 1], 0, 2],
    ['the lines of a selection made backwards', ['a', 'b', 'c'], [2, 1, 1, 0], 1, 3],
    ['one line if the selection ends at the start of the next', ['a', 'b'], [0, 0, 1, 0], 0, 1],
    ['no blank line before the selected one', ['', 'a'], [0, 0, 1, 1], 1, 2],
    ['no blank line after the selected one', ['a', ' '], [0, 0, 1, 1], 0, 1],
    ['no line of which the selection has only the start', ['a', 'b', 'c'], [0, 0, 2, 0], 0, 2],
    ['no blank lines around the selected ones', ['', ' ', 'a', '', 'b', ''], [0, 0, 5, 0], 2, 5],
    ['one line if only blank ones are selected', ['', '', ''], [0, 0, 2, 0], 1, 2],
  ] as const)
    it(`changes ${what}`, async () => {
      const editing = new Editing(lines);
      editing.selection = new Selection(...selection);
      editing.answer = { text: 'x\r\ny', finishReason: 'stop' };
      await editing.edit(' shorten it ');
      const end = lines[to - 1]?.length ?? 0;
      const span = { start: 100 * from, end: 100 * (to - 1) + end };
      const uri = String(vscode.Uri.file('/project/a.ts'));
      const maxTokens = Math.max(LIMIT, Math.ceil((span.end - span.start) / 2));
      assert.deepEqual(editing.requests, [{ uri, instruction: 'shorten it', ...span, maxTokens }]);
      assert.deepEqual(editing.proposals, [[from, to, ['x', 'y']]]);
      assert.deepEqual(editing.reports, [4, 8], 'the characters so far are reported');
      assert.ok(editing.isHidden, 'the document is hidden again after the request');
    });

  for (const [what, change, says] of [
    ['in a secret file', { reason: 'secret' }, /^Flashline cannot edit code here: This file may contain/],
    ['before the last changes are decided', { hunkCount: 1 }, /^Accept or reject the changes in a\.ts first/],
    ['while code is generated', { isFree: false }, undefined],
    ['with a model that the user declines', { allowsModel: false }, undefined],
  ] as readonly (readonly [string, Partial<Editing>, RegExp | undefined])[])
    it(`asks the server for nothing ${what}`, async () => {
      const editing = new Editing(['a', 'b']);
      Object.assign(editing, change);
      await editing.edit();
      assert.deepEqual(editing.requests, []);
      assert.match(editing.messages.join(), says ?? /^$/);
    });

  it('edits at most a thousand lines, and nothing without an instruction', async () => {
    const editing = new Editing(Array.from({ length: 1001 }, () => 'a'));
    await editing.edit(' ');
    assert.deepEqual(editing.requests, []);
    for (const [last, count] of [
      [999, 1],
      [1000, 1],
    ] as const) {
      editing.selection = new Selection(0, 0, last, 1);
      await editing.edit();
      assert.equal(editing.requests.length, count);
    }
    assert.deepEqual(editing.messages.slice(-1), [
      'Flashline edits at most 1000 lines at a time. Select less.',
    ]);
  });

  it('asks for an instruction, and edits the lines that are selected when the user gives it', async () => {
    const { showInputBox } = window;
    const editing = new Editing(['a', 'b']);
    window.showInputBox = () => Promise.resolve(undefined);
    await editing.edit(null);
    assert.deepEqual(editing.requests, []);
    window.showInputBox = () => {
      Object.assign(window.activeTextEditor ?? {}, { selection: new Selection(1, 0, 1, 0) });
      return Promise.resolve('shorten it');
    };
    await editing.edit(null);
    window.showInputBox = showInputBox;
    assert.deepEqual(editing.proposals, [[1, 2, ['x']]]);
  });

  it('proposes the change where its lines have moved, and none if they were edited or the file closed', async () => {
    const editing = new Editing(['a', 'b']);
    const change = (line: number, endLine: number, text: string) => () => {
      const contentChanges = [{ range: new vscode.Range(line, 0, endLine, 0), text }];
      documents.changed.fire({ document: editing.document, contentChanges });
    };
    editing.selection = new Selection(1, 0, 1, 0);
    editing.meanwhile = change(0, 0, 'x\ny\n');
    await editing.edit();
    assert.deepEqual(editing.proposals, [[3, 4, ['x']]]);
    editing.meanwhile = change(1, 1, 'x');
    await editing.edit();
    editing.meanwhile = () => {
      documents.closed.fire(Object.assign(editing.document, { isClosed: true }));
    };
    await editing.edit();
    assert.equal(editing.proposals.length, 1);
    assert.match(editing.messages.at(-1) ?? '', /^The code was changed in the meantime/);
    assert.equal(editing.messages.filter((message) => message.startsWith('The code was')).length, 2);
  });

  it('proposes the change where its lines are when another document was edited in the meantime', async () => {
    const editing = new Editing(['a', 'b']);
    editing.selection = new Selection(1, 0, 1, 0);
    editing.meanwhile = () => {
      for (const [line, text] of [
        [0, 'x\n'],
        [1, 'x'],
      ] as const)
        documents.changed.fire({
          document: new Editing(['c', 'd']).document,
          contentChanges: [{ range: new vscode.Range(line, 0, line, 0), text }],
        });
    };
    await editing.edit();
    assert.deepEqual(editing.proposals, [[1, 2, ['x']]]);
  });

  it('changes nothing if the last changes are still undecided when the user gives the instruction', async () => {
    const { showInputBox } = window;
    const editing = new Editing(['a']);
    window.showInputBox = () => {
      editing.hunkCount = 1;
      return Promise.resolve('shorten it');
    };
    await editing.edit(null);
    window.showInputBox = showInputBox;
    assert.deepEqual(editing.requests, []);
    assert.match(editing.messages.join(), /^Accept or reject the changes in a\.ts first/);
  });

  it('keeps the input box open while another window has the focus', async () => {
    const { showInputBox } = window;
    const editing = new Editing(['a']);
    let options: { readonly ignoreFocusOut?: boolean } = {};
    window.showInputBox = (given: { readonly prompt?: string; readonly ignoreFocusOut?: boolean }) => {
      options = given;
      return Promise.resolve(undefined);
    };
    await editing.edit(null);
    window.showInputBox = showInputBox;
    assert.equal(options.ignoreFocusOut, true);
  });

  it('cancels its request when its lines are edited, but not once the request is answered', async () => {
    const editing = new Editing(['a', 'b']);
    const change = (): void => {
      const contentChanges = [{ range: new vscode.Range(0, 0, 0, 1), text: 'x' }];
      documents.changed.fire({ document: editing.document, contentChanges });
    };
    const isCancelled = () => editing.sources.map(({ token }) => token.isCancellationRequested);
    await editing.edit();
    change();
    documents.closed.fire({ ...editing.document, isClosed: true });
    assert.deepEqual(isCancelled(), [false]);
    editing.meanwhile = change;
    await editing.edit();
    assert.deepEqual(isCancelled(), [false, true]);
  });

  it('goes to the first change in a visible editor of the document', async () => {
    const editing = new Editing(['a']);
    const reveals: string[] = [];
    const editorOf = (name: string, document: object) => {
      return {
        document,
        selection: undefined as Selection | undefined,
        revealRange: () => reveals.push(name),
      };
    };
    const [other, editor] = [editorOf('other', {}), editorOf('own', editing.document)];
    window.visibleTextEditors = [other, editor];
    editing.meanwhile = () => (editing.hunkCount = 1);
    await editing.edit();
    window.visibleTextEditors = [];
    assert.deepEqual([editor.selection?.active.line, reveals, editing.messages], [7, ['own'], []]);
  });

  it('proposes the change in a document whose language was changed in the meantime', async () => {
    const editing = new Editing(['a']);
    // VS Code closes and reopens the document.
    editing.meanwhile = () => {
      documents.closed.fire(Object.assign(editing.document, { isClosed: false }));
    };
    await editing.edit();
    assert.deepEqual(editing.proposals, [[0, 1, ['x']]]);
  });

  it('reports an answer that changes nothing, and fails if VS Code refuses the change', async () => {
    const editing = new Editing(['a']);
    await editing.edit();
    assert.deepEqual(editing.messages, ['Flashline: the model suggested no changes.']);
    editing.isAccepted = false;
    await assert.rejects(editing.edit(), /VS Code refused to change a\.ts\. Make sure/);
  });

  it('needs an open file', async () => {
    const messages: string[] = [];
    const { showInformationMessage } = window;
    window.showInformationMessage = (message) => Promise.resolve(void messages.push(message));
    await new SelectionEdit({} as EditParts).edit();
    window.showInformationMessage = showInformationMessage;
    assert.deepEqual(messages, ['Open a file to edit code.']);
  });

  for (const [title, answer, says] of [
    ['never ends', { text: CODE.repeat(2), finishReason: 'length' }, /never finished.*more precisely/],
    [
      'reaches the token limit',
      { text: `${CODE} // all`, finishReason: 'length' },
      /token limit.*Select less/,
    ],
    ['repeats itself', { text: CODE, finishReason: 'repetition' }, /kept repeating itself/],
    ['ends as its model is unloaded', { text: CODE, finishReason: 'superseded' }, /model was unloaded/],
    ['has no code', { text: '', finishReason: 'stop' }, /returned no code/],
  ] as const)
    it(`changes nothing for an answer that ${title}, and shows the reason`, async () => {
      assert.match(await messageFor(answer), says);
    });

  it('changes nothing after a cancellation, and says so in the status bar', async () => {
    for (const finishReason of ['cancelled', 'abandoned'] as const) {
      const editing = new Editing(['a']);
      window.statusBarMessages = [];
      editing.answer = { text: 'x', finishReason };
      await editing.edit();
      assert.deepEqual([editing.proposals, editing.messages], [[], []]);
      assert.deepEqual(window.statusBarMessages, ['Flashline: cancelled; nothing was changed']);
    }
  });
});
