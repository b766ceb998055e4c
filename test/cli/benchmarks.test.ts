// Tests that benchmarks refuse files that they cannot use before they load a model.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run as runInfill } from '../../bench/infill/benchInfill';
import { run as runTyping } from '../../bench/typing/benchTyping';
import { temporaryFolder } from '../support/temporaryFolder';

describe('benchmarks', () => {
  const folder = temporaryFolder();

  it('refuse an empty file of infill problems', async () => {
    const file = join(folder, 'empty.jsonl');
    writeFileSync(file, '\n');
    const message = /^Expected problems in .*empty\.jsonl, got an empty file/;
    await assert.rejects(runInfill([file]), { name: 'UserError', message });
  });

  it('name the option whose file cannot be written', async () => {
    const absent = join(folder, 'absent', 'file');
    for (const option of ['--json', '--pauses']) {
      const message = new RegExp(`^Expected ${option} to be a file that can be written`);
      await assert.rejects(runTyping(['--quick', option, absent]), { name: 'UserError', message });
    }
  });
});
