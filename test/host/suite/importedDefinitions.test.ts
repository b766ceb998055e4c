// Tests definitions that a file imports, found by a language's definition provider: they are quoted in prompts unless
// Git ignores their file.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FlashlineApi } from '../../../src/extension';
import { until } from '../../editor/waiting';
import { closeEditors, flashline, rowsOf, show, trigger, type } from '../flashline';

describe('imported definitions', () => {
  let api: FlashlineApi;
  let provider: vscode.Disposable;
  before(async () => {
    api = await flashline();
    // Finds the definition of a name in the file NAME.py, in lower case.
    provider = vscode.languages.registerDefinitionProvider('python', {
      provideDefinition: (document, position) => {
        const name = document.getText(document.getWordRangeAtPosition(position)).toLowerCase();
        const uri = vscode.Uri.joinPath(document.uri, '..', `${name}.py`);
        return new vscode.Location(uri, new vscode.Position(0, 0));
      },
    });
  });
  after(() => {
    provider.dispose();
  });
  afterEach(closeEditors);

  it('quotes imported definitions in prompts, except those in files that Git ignores', async () => {
    await show('imports/.gitignore', 'secret_oven.py\n');
    await show('imports/tray.py', 'class Tray:\n    def slide_in(self, level):\n        pass\n');
    await show('imports/secret_oven.py', 'class SecretOven:\n    def preheat(self):\n        pass\n');
    await closeEditors();
    await show(
      'imports/baker.py',
      'from secret_oven import Secret_Oven\nfrom tray import Tray\n\ntray = Tray()\ntray.‸\n',
    );
    const quoted = (): (string | undefined)[] =>
      rowsOf(api, 'baker.py').flatMap(({ prompt }) => prompt?.map(({ file }) => file) ?? []);
    await until('the prompt quotes the imported class', async () => {
      // VS Code requests suggestions again only after the text has changed.
      await type('s');
      await trigger();
      return quoted().includes('tray.py');
    });
    assert.ok(!quoted().includes('secret_oven.py'));
  });
});
