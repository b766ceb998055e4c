// What the edit command says about answers that reach the token limit: only one with too little room is told to select less.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { GenerateParams, GenerateResult } from '../../../server/protocol/messages';
import { SelectionEdit, type EditParts } from '../../../src/instruct/edit/selectionEdit';
import { window } from '../support/fakeVscode';

const CODE = 'const total = items.length;';
/** Of generated code: less than the code may need. */
const LIMIT = 9;

/** What is said when the server answers so, and whether changes are proposed. */
async function edited(
  answer: Partial<GenerateResult>,
): Promise<readonly [said: readonly string[], proposed: number]> {
  const said: string[] = [];
  let proposed = 0;
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
      propose: () => Promise.resolve((proposed += 1) > 0),
    },
    mayInstruct: () => Promise.resolve(true),
  };
  const { showInformationMessage } = window;
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
  }
  return [said, proposed];
}

describe('SelectionEdit', () => {
  for (const [title, answer, says] of [
    ['ran on', { text: CODE.repeat(2), finishReason: 'length' }, /never finished.*more precisely/],
    ['had too little room', { text: `${CODE} // all`, finishReason: 'length' }, /token limit.*Select less/],
    ['kept repeating itself', { text: CODE, finishReason: 'repetition' }, /kept repeating itself/],
  ] as const)
    it(`changes nothing for an answer that ${title}, and says so`, async () => {
      const [said, proposed] = await edited(answer);
      assert.equal(said.length, 1);
      assert.match(said.join(), says);
      assert.equal(proposed, 0);
    });
});
