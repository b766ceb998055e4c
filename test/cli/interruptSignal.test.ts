// Tests Ctrl+C during a decode: the text so far is kept and printed, and the exit code reports the interrupt. A
// decode would take a minute without the interrupt, so none ends before the interrupt arrives.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flashline, type RunOptions } from './flashline';
import { printedLines } from './printed';
import { writeSmallTarget } from './smallTarget';

const interrupted: RunOptions = { onOutput: (child) => void child.kill('SIGINT') };

describe('a second Ctrl+C', () => {
  it('ends the process, even if the first one had no effect', async () => {
    const script = `const { interruptSignal } = require('${require.resolve('../../server/cli/interruptSignal')}');
      interruptSignal().onabort = () => console.log(process.exitCode);
      setInterval(() => undefined, 1e6);
      console.log('ready');`;
    const child = spawn(process.execPath, ['-e', script]);
    for (const line of ['ready\n', '130\n']) {
      const [text] = (await once(child.stdout, 'data')) as [Buffer];
      assert.equal(text.toString(), line);
      child.kill('SIGINT');
    }
    assert.deepEqual(await once(child, 'close'), [null, 'SIGINT']);
  });
});

describe('an interrupted flashline generate', () => {
  let folder: string;
  let args: readonly string[];
  before(() => {
    folder = writeSmallTarget({ context: 20_000 });
    args = ['generate', '--target', folder, '--max-tokens', '10000'];
  });

  it('ends its stream with the text so far and the statistics', async () => {
    const { stdout, stderr, ...ended } = await flashline([...args, '--prompt', 'hi'], interrupted);
    assert.deepEqual(ended, { code: 130, signal: null });
    assert.notEqual(stdout, '');
    assert.match(stderr, /\n {2}finish reason +cancelled\n/);
    assert.match(stderr, /\n {2}emitted tokens +[1-9]\d* in \d+ rounds?\n/);
  });

  it('ends its batch with the result so far, without the lines after it', async () => {
    const file = join(folder, 'batch.jsonl');
    const lines = [{ prompt: 'a', maxTokens: 2 }, { prompt: 'b' }, { prompt: 'c' }];
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const { stdout, ...ended } = await flashline([...args, '--batch', file], interrupted);
    assert.deepEqual(ended, { code: 130, signal: null, stderr: '' });
    const printed = printedLines(stdout);
    assert.deepEqual(
      printed.map(({ finishReason }) => finishReason),
      ['length', 'cancelled'],
    );
    for (const { tokenIds, stats } of printed) assert.equal(stats['emittedTokens'], tokenIds.length);
  });
});
