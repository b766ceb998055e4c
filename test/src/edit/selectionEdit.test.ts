// What the edit command proposes and where, while the document changes, and what it says about answers that it cannot
// use: only one with too little room is told to select less.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { GenerateParams, GenerateResult } from '../../../server/protocol/messages';
import { SelectionEdit, type EditParts } from '../../../src/instruct/edit/selectionEdit';
import { window, workspace } from '../support/fakeVscode';

const CODE = 'const total = items.length;';
/** Of generated code: less than the code may need. */
const LIMIT = 9;

/** What is said when the server answers so, and at which lines changes are proposed; somebody writes meanwhile. */
async function edited(answer: Partial<GenerateResult>, written?: Partial<vscode.TextDocumentChangeEvent>) {
  const said: string[] = [];
  const proposed: number[] = [];
  const document = {
    uri: vscode.Uri.file('/a.ts'),
    languageId: 'typescript',
    offsetAt: ({ character }: vscode.Position) => character,
    lineAt: () => ({
      text: CODE,
      range: new vscode.Range(new vscode.Position(0, 0), new vscode.Position(0, CODE.length)),
    }),
  } as unknown as vscode.TextDocument;
  const source = new vscode.CancellationTokenSource();
  const parts = {
    client: {
      stream: (_: string, { maxTokens }: GenerateParams) => {
        assert.equal(maxTokens, CODE.length / 2 + 0.5);
        if (written) changed({ document, ...written });
        return Promise.resolve(answer);
      },
    },
    configuration: { settings: { server: { maxGenerateTokens: LIMIT } } },
    gate: { generation: () => undefined },
    documents: { during: (_: unknown, __: unknown, work: () => Promise<void>) => work() },
    run: {
      isFree: () => true,
      run: (_: unknown, work: (...args: unknown[]) => Promise<void>) => work(source, () => undefined),
    },
    pending: {
      hunksOf: () => [],
      propose: (_: unknown, from: number) => Promise.resolve(proposed.push(from) > 0),
    },
    mayInstruct: () => Promise.resolve(true),
  };
  const { showInformationMessage } = window;
  const { onDidChangeTextDocument } = workspace;
  let changed: (event: object) => void = () => assert.fail();
  Object.assign(workspace, {
    onDidChangeTextDocument: (listener: typeof changed) => {
      changed = listener;
      return { dispose: () => undefined };
    },
  });
  window.showInformationMessage = (message) => {
    said.push(message);
    return Promise.resolve(undefined);
  };
  try {
    const edit = new SelectionEdit(parts as unknown as EditParts);
    await edit.apply(
      () => ({ document, from: 0, to: 1 }),
      () => Promise.resolve('shorten it'),
    );
  } finally {
    window.showInformationMessage = showInformationMessage;
    workspace.onDidChangeTextDocument = onDidChangeTextDocument;
  }
  return { said, proposed, isCancelled: source.token.isCancellationRequested };
}

describe('SelectionEdit', () => {
  for (const [title, answer, says] of [
    ['ran on', { text: CODE.repeat(2), finishReason: 'length' }, /never finished.*more precisely/],
    ['had too little room', { text: `${CODE} // all`, finishReason: 'length' }, /token limit.*Select less/],
    ['kept repeating itself', { text: CODE, finishReason: 'repetition' }, /kept repeating itself/],
  ] as const)
    it(`changes nothing for an answer that ${title}, and says so`, async () => {
      const { said, proposed } = await edited(answer);
      assert.equal(said.length, 1);
      assert.match(said.join(), says);
      assert.deepEqual(proposed, []);
    });

  const typed = (line: number, text: string, document = {}) => {
    const place = new vscode.Position(line, 0);
    return { ...document, contentChanges: [{ range: new vscode.Range(place, place), text }] } as never;
  };
  for (const [where, written, proposedAt] of [
    ['above', typed(0, 'let above;\n'), [1]],
    ['below', typed(1, '// below'), [0]],
    ['in another document', typed(0, 'a', { document: {} }), [0]],
    ['in them', typed(0, '// mine '), []],
  ] as const)
    it(`${proposedAt.length > 0 ? 'goes on with the lines where they are' : 'ends'} when somebody writes ${where}`, async () => {
      const { said, proposed, isCancelled } = await edited({ text: 'a', finishReason: 'stop' }, written);
      assert.deepEqual(proposed, proposedAt);
      assert.equal(isCancelled, proposed.length === 0);
      if (isCancelled) assert.match(said.join(), /changed in the meantime/);
    });
});
