// Files whose text must never reach the engine. After each of them, a suggestion is requested in an ordinary file:
// once that request has come through, one for the file before would have, too. All reasons are in gate.test.ts.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FlashlineApi } from '../../../src/extension';
import { until } from '../../editor/waiting';
import { closeEditors, flashline, rowsOf, show, showExample, trigger, type } from '../flashline';

const CODE = 'export function add(a: number, b: number): number {\n  return ‸\n}\n';

const CLOSED: readonly (readonly [what: string, file: string, text: string])[] = [
  ['environment variables', '.env', 'API_KEY=abc\nSECRET=‸\n'],
  ['a language that is off by default', 'notes.md', '# Notes\n\nThis is ‸\n'],
];

describe('gates', () => {
  let api: FlashlineApi;
  before(async () => {
    api = await flashline();
  });
  afterEach(closeEditors);

  /** Requests a suggestion in an ordinary file and waits until the engine has answered. */
  async function askElsewhere(file: string): Promise<void> {
    await showExample('shoppingCart.ts', 20, 22, file);
    await trigger();
    await until('a request is reported', () => rowsOf(api, file).length > 0);
  }

  CLOSED.forEach(([what, file, text], i) => {
    it(`never lets ${what} reach the engine`, async () => {
      await show(file, text);
      await trigger();
      await type('a');
      await trigger();
      await askElsewhere(`ordinary${i}.ts`);
      assert.deepEqual(rowsOf(api, file), []);
    });
  });

  it('lets nothing reach the engine while several cursors type', async () => {
    const editor = await show('cursors.ts', CODE);
    const { active } = editor.selection;
    editor.selections = [
      new vscode.Selection(active, active),
      new vscode.Selection(active.with(2, 0), active.with(2, 0)),
    ];
    await type('a');
    await trigger();
    await askElsewhere('single.ts');
    assert.deepEqual(rowsOf(api, 'cursors.ts'), []);
  });

  it('would report the request of an ordinary file of the same kind', async () => {
    await show('ordinary.ts', CODE);
    await trigger();
    await until('a request is reported', () => rowsOf(api, 'ordinary.ts').length > 0);
  });
});
