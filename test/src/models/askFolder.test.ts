// Where folders of models are asked for, in local and in remote windows.
import assert from 'node:assert/strict';
import { homedir, hostname } from 'node:os';
import { askFolder } from '../../../src/models/chooseModel';
import { Uri, window } from '../support/fakeVscode';

describe('the place of the models', () => {
  it('is where folders are asked for, also in a remote window', async () => {
    let asked: string | undefined;
    window.showOpenDialog = ({ defaultUri }) => {
      asked = defaultUri && `${defaultUri.scheme}:${defaultUri.fsPath}`;
      return Promise.resolve([Uri.file('/models/a')]);
    };
    assert.equal(await askFolder('Use'), '/models/a');
    assert.equal(asked, `file:${homedir()}`);
  });

  it('is named when the folder is on another machine, which is not used', async () => {
    const there = Object.assign(Uri.file('/models/a'), {
      scheme: 'vscode-remote',
      authority: 'ssh-remote+gpu',
    });
    const shown: string[] = [];
    window.showOpenDialog = () => Promise.resolve([there]);
    window.showErrorMessage = (message) => Promise.resolve(void shown.push(message));
    assert.equal(await askFolder('Use'), undefined);
    assert.ok(
      shown[0]?.startsWith(`Expected a folder on ${hostname()}`) &&
        shown[0].includes('got one on ssh-remote+gpu'),
    );
    window.showOpenDialog = () => Promise.resolve(undefined);
    assert.equal(await askFolder('Use'), undefined);
    assert.equal(shown.length, 1);
  });
});
