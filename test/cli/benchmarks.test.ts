// Tests that benchmarks refuse files and options that they cannot use before they load a model.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run as runDecode } from '../../bench/decode/bench';
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

  it('refuse a fixed draft length with depths, which adaptive lengths measure', async () => {
    const message = /^Expected --draft-length adaptive with --depth, got 2; leave it out/;
    await assert.rejects(runDecode(['--depth', '--draft-length', '2']), { name: 'UserError', message });
  });

  it('name the option whose file cannot be written', async () => {
    const absent = join(folder, 'absent', 'file');
    for (const option of ['--json', '--pauses']) {
      const message = new RegExp(`^Expected ${option} to be a file that can be written`);
      await assert.rejects(runTyping(['--quick', option, absent]), { name: 'UserError', message });
    }
  });
});
