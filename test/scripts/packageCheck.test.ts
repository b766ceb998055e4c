// Tests scripts/packageCheck.mjs: where it looks for the package that it is given.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '../support/temporaryFolder';

describe('scripts/packageCheck.mjs', function () {
  this.timeout(300_000);

  it('reads a package at a path from the current folder, before it builds another', () => {
    const cwd = realpathSync(temporaryFolder());
    const args = [resolve('scripts/packageCheck.mjs'), 'none.vsix'];
    const env = { ...process.env, INIT_CWD: undefined };
    const { status, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.ok(stderr.includes(`'${join(cwd, 'none.vsix')}'`), stderr);
    assert.doesNotMatch(stderr, /flashline-again-/);
  });
});
