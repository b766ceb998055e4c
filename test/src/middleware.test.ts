// Ghost text between VS Code and the client: whose times count.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { middleware } from '../../src/ghostText/middleware';

const { Automatic, Invoke } = vscode.InlineCompletionTriggerKind;
const NEVER = new vscode.CancellationTokenSource().token;

/** Counts the times that are told when suggestions with these ids are offered, one after another. */
async function timesTold(
  offers: readonly number[],
  { triggerKind = Automatic, token = NEVER, isOpen = true } = {},
): Promise<number> {
  const told: number[] = [];
  let offered = 0;
  const { provideInlineCompletionItems } = middleware(
    { suggestion: () => (isOpen ? undefined : 'disabled') },
    { middleware: {} },
    { items: () => Promise.resolve([{ insertText: 'a' }]) },
    { offer: () => offered },
    { has: () => false },
    { requested: () => undefined, allows: () => true },
    {
      requested: () => undefined,
      shown: (milliseconds) => void told.push(milliseconds),
      answered: () => undefined,
    },
  );
  const document = { uri: vscode.Uri.file('/a.ts') } as vscode.TextDocument;
  const context = { triggerKind, selectedCompletionInfo: undefined };
  for (const offer of offers) {
    offered = offer;
    await provideInlineCompletionItems?.(document, new vscode.Position(0, 0), context, token, () => []);
  }
  assert.ok(told.every((milliseconds) => milliseconds >= 0));
  return told.length;
}

describe('middleware', () => {
  it('tells how long a new suggestion took, and not one that the person types into', async () => {
    assert.equal(await timesTold([1, 2, 3]), 3);
    assert.equal(await timesTold([1, 1, 1, 2]), 2);
    // Nothing was offered yet.
    assert.equal(await timesTold([0, 0]), 0);
  });

  it('tells nothing of what was requested, cancelled or not asked for', async () => {
    const cancelled = new vscode.CancellationTokenSource();
    cancelled.cancel();
    assert.equal(await timesTold([1, 2], { triggerKind: Invoke }), 0);
    assert.equal(await timesTold([1, 2], { token: cancelled.token }), 0);
    assert.equal(await timesTold([1, 2], { isOpen: false }), 0);
  });
});
