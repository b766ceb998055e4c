// Tests which version of VS Code a command starts.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

describe('FLASHLINE_VSCODE', () => {
  it('is refused if it names any version but the newest one', () => {
    const env = { ...process.env, FLASHLINE_VSCODE: '1.139' };
    const { status, stderr } = spawnSync(process.execPath, ['scripts/vscodeWeb.mjs'], {
      env,
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.match(stderr, /Expected "newest" in FLASHLINE_VSCODE, got "1.139"; set it to "newest"/);
  });
});
