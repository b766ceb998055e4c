// Files whose text must never reach the engine. After them, a suggestion is requested in an ordinary file: once that request
// has come through, one for a file before would have, too. All reasons are in gate.test.ts.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FlashlineApi } from '../../../src/extension';
import { until } from '../../editor/waiting';
import { closeEditors, flashline, rowsOf, show, trigger, type } from '../flashline';

const CODE = 'export function add(a: number, b: number): number {\n  return ‸\n}\n';

const CLOSED: readonly (readonly [file: string, text: string])[] = [
  ['.env', 'API_KEY=abc\nSECRET=‸\n'],
  ['notes.md', '# Notes\n\nThis is ‸\n'],
];

describe('gates', () => {
  let api: FlashlineApi;
  before(async () => {
    api = await flashline();
  });
  afterEach(closeEditors);

  it('let no file with secrets, no language that is off by default and no typing with several cursors reach the engine', async () => {
    for (const [file, text] of CLOSED) {
      await show(file, text);
      await trigger();
      await type('a');
      await trigger();
    }
    const editor = await show('cursors.ts', CODE);
    const { active } = editor.selection;
    editor.selections = [
      new vscode.Selection(active, active),
      new vscode.Selection(active.with(2, 0), active.with(2, 0)),
    ];
    await type('a');
    await trigger();
    await show('ordinary.ts', CODE);
    await trigger();
    await until('a request is reported', () => rowsOf(api, 'ordinary.ts').length > 0);
    for (const file of [...CLOSED.map(([name]) => name), 'cursors.ts'])
      assert.deepEqual(rowsOf(api, file), [], file);
  });
});
