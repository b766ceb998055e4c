// Tests the messages of the edit command about answers that it cannot use: it advises to select less only if the token
// limit was too small. test/e2e/engine/edit.test.ts tests proposals in VS Code.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { GenerateParams, GenerateResult } from '../../../server/protocol/messages';
import { SelectionEdit, type EditParts } from '../../../src/instruct/edit/selectionEdit';
import { window } from '../support/fakeVscode';

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
      run: (_: unknown, work: (...args: unknown[]) => Promise<void>) =>
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

describe('SelectionEdit', () => {
  for (const [title, answer, says] of [
    ['ran on', { text: CODE.repeat(2), finishReason: 'length' }, /never finished.*more precisely/],
    ['had too little room', { text: `${CODE} // all`, finishReason: 'length' }, /token limit.*Select less/],
    ['kept repeating itself', { text: CODE, finishReason: 'repetition' }, /kept repeating itself/],
    ['lost its model', { text: CODE, finishReason: 'superseded' }, /model was unloaded/],
  ] as const)
    it(`changes nothing for an answer that ${title}, and says so`, async () => {
      assert.match(await messageFor(answer), says);
    });
});
