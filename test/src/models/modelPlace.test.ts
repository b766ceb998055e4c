// Where the models run and folders are asked for, in local and in remote windows.
import assert from 'node:assert/strict';
import { homedir, hostname } from 'node:os';
import { askFolder, modelPlace } from '../../../src/models/modelPlace';
import { ExtensionKind, Uri, window } from '../support/fakeVscode';

const PLACE = { host: 'studio', relation: '' };

describe('the place of the models', () => {
  it('is told for local and remote windows', () => {
    const relation = (kind: number, remote?: string) => modelPlace(kind, remote).relation;
    assert.equal(modelPlace(ExtensionKind.Workspace).host, hostname());
    assert.equal(relation(ExtensionKind.UI), 'The machine that VS Code runs on');
    assert.match(relation(ExtensionKind.UI, 'ssh-remote'), /^Your own machine.*\(ssh-remote\)$/);
    assert.match(
      relation(ExtensionKind.Workspace, 'wsl'),
      /^The machine that the files of this window are on \(wsl\)$/,
    );
  });

  it('is where folders are asked for, also in a remote window', async () => {
    let asked: string | undefined;
    window.showOpenDialog = ({ defaultUri }) => {
      asked = defaultUri && `${defaultUri.scheme}:${defaultUri.fsPath}`;
      return Promise.resolve([Uri.file('/models/a')]);
    };
    assert.equal(await askFolder('Use', PLACE), '/models/a');
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
    assert.equal(await askFolder('Use', PLACE), undefined);
    assert.match(shown[0] ?? '', /Expected a folder on studio.*got one on ssh-remote\+gpu/);
    window.showOpenDialog = () => Promise.resolve(undefined);
    assert.equal(await askFolder('Use', PLACE), undefined);
    assert.equal(shown.length, 1);
  });
});
