// Imports that come with an accepted suggestion, by VS Code's own language support for TypeScript.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../../editor/waiting';
import { closeEditors, flashline, show, trigger, untilChanged } from '../flashline';

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

  it('imports its names from the project, and one undo takes both back', async () => {
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
    await trigger();
    const after = await untilChanged(editor, COMMIT);
    assert.match(after, /Total: \$\{formatMoney\(/);
    await until(
      'the import is there',
      () =>
        editor.document.getText().includes("import { formatMoney } from './money';") ||
        editor.document.getText().includes('import { formatMoney } from "./money";'),
    );
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), before);
  });
});
