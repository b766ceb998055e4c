// Tests the quick fix "Fix with Flashline" in VS Code: where it is offered.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../../editor/waiting';
import { closeEditors, flashline, show } from '../flashline';

describe('"Fix with Flashline"', () => {
  const problems = vscode.languages.createDiagnosticCollection('test');
  before(async () => {
    await flashline();
  });
  afterEach(async () => {
    problems.clear();
    await closeEditors();
  });
  after(() => {
    problems.dispose();
  });

  /** Returns Flashline's fixes for a problem in the first line of a file. */
  async function offeredFixes(file: string, text: string): Promise<readonly vscode.CodeAction[]> {
    const { document } = await show(file, text);
    const range = document.lineAt(0).range;
    problems.set(document.uri, [new vscode.Diagnostic(range, 'cannot find it')]);
    const actions = await vscode.commands.executeCommand<readonly vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      document.uri,
      range,
    );
    return actions.filter(({ title }) => title === 'Fix with Flashline');
  }

  it('offers a fix for a problem, except in secret files and while Flashline is snoozed', async () => {
    const [action] = await until('the fix is offered', async () => {
      const actions = await offeredFixes('problem.ts', 'export const a = b;\n');
      return actions.length > 0 && actions;
    });
    assert.ok(action?.kind?.contains(vscode.CodeActionKind.QuickFix));
    assert.deepEqual(await offeredFixes('.env', 'API_KEY=abc\n'), []);
    await vscode.commands.executeCommand('flashline.snooze', 1);
    assert.deepEqual(await offeredFixes('snoozedProblem.ts', 'export const a = b;\n'), []);
    await vscode.commands.executeCommand('flashline.snooze', 0);
  });
});
