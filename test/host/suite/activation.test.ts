// Tests activation: the built-in pair loads, and the commands of the manifest exist.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { flashline } from '../flashline';

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

describe('activation', () => {
  it('loads the embedded pair on activation', async () => {
    const api = await flashline();
    assert.equal(api.connection(), 'running');
    const model = api.serverStatus()?.model;
    assert.equal(model?.target, 'embedded');
    assert.equal(model.drafter, 'embedded');
    assert.equal(model.infill, 'fim');
  });

  it('registers every command of the manifest', async () => {
    const extension = vscode.extensions.getExtension('flashline.flashline');
    const { contributes } = extension?.packageJSON as Manifest;
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      contributes.commands.map(({ command }) => command).filter((command) => !registered.has(command)),
      [],
    );
  });
});
