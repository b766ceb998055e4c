// Tests imports that an accepted suggestion needs, with VS Code's own support for TypeScript.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { pause, until } from '../../editor/waiting';
import { closeEditors, flashline, show, trigger, untilChanged } from '../flashline';

const TRIES = 10;
/** Time after which an import that has not appeared is not expected any more. */
const GIVEN_UP_MS = 6000;
const COMMIT = 'editor.action.inlineSuggest.commit';
const RECEIPT = [
  'export function lineOf(name: string, cents: number): string {',
  '  return `${name}: ${formatMoney(cents)}`;',
  '}',
  '',
  'export function totalOf(cents: number): string {',
  '  return `Total: ${‸',
  '}',
  '',
].join('\n');

describe('accepting a suggestion', () => {
  before(() => flashline());
  afterEach(closeEditors);

  it('imports the names of an accepted suggestion, and undoes text and imports in one step', async () => {
    await show('shop/tsconfig.json', '{ "compilerOptions": { "strict": true } }');
    await show(
      'shop/money.ts',
      'export function formatMoney(cents: number): string {\n  return (cents / 100).toFixed(2);\n}\n',
    );
    const editor = await show('shop/receipt.ts', RECEIPT);
    const before = editor.document.getText();
    await until('TypeScript misses the name', () =>
      vscode.languages
        .getDiagnostics(editor.document.uri)
        .some(({ message }) => message.includes('formatMoney')),
    );
    const isImported = (): boolean =>
      /import \{ formatMoney \} from ["']\.\/money["'];/.test(editor.document.getText());
    // Flashline gives up when language support takes longer than five seconds, as on a busy machine.
    for (let tries = 0; !isImported(); tries += 1) {
      assert.ok(tries < TRIES, `no import after ${TRIES} accepted suggestions`);
      if (tries > 0) await vscode.commands.executeCommand('undo');
      await trigger();
      assert.match(await untilChanged(editor, COMMIT), /Total: \$\{formatMoney\(/);
      const end = Date.now() + GIVEN_UP_MS;
      while (!isImported() && Date.now() < end) await pause(50);
    }
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), before);
  });
});
