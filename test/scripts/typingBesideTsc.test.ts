// Tests scripts/typingBesideTsc.mjs: it leaves nothing in the folder for temporary files.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { temporaryFolder } from '../support/temporaryFolder';

describe('scripts/typingBesideTsc.mjs', () => {
  it('removes its temporary folder', () => {
    const folder = temporaryFolder();
    const env = { ...process.env, TMPDIR: folder };
    const { status } = spawnSync(process.execPath, ['scripts/typingBesideTsc.mjs', '0'], { env });
    assert.deepEqual([status, readdirSync(folder)], [0, []]);
  });
});
