// Tests pipes, devices, folders and far too large files in place of model files and API key files: all are refused
// without waiting, except a pipe in place of an API key file.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { keyFrom } from '../../server/cli/apiKey';
import { temporaryFolder } from '../support/temporaryFolder';
import { assertComplaint } from './complaint';
import { flashlines } from './flashline';
import { writeSmallTarget } from './smallTarget';

const FILES = [
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'model.safetensors.index.json',
  'model.safetensors',
];

function generateArguments(folder: string): string[] {
  return ['generate', '--target', folder, '--drafter', 'none', '--prompt', 'a', '--max-tokens', '1'];
}

describe('a model file that must not be read', () => {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  it('is refused by name, without waiting, when it is a pipe without a writer', async () => {
    const folders = FILES.map((name) => {
      const folder = writeSmallTarget();
      rmSync(join(folder, name), { force: true });
      assert.equal(spawnSync('mkfifo', [join(folder, name)]).status, 0);
      return folder;
    });
    const outcomes = await flashlines(folders.map(generateArguments));
    for (const [i, outcome] of outcomes.entries())
      assertComplaint(outcome, [join(folders[i] ?? '', FILES[i] ?? ''), 'got a pipe']);
  });

  it('is refused when it is a config.json of 60 MB', async () => {
    const folder = writeSmallTarget();
    writeFileSync(join(folder, 'config.json'), ' '.repeat(60e6));
    const [outcome] = await flashlines([generateArguments(folder)]);
    assertComplaint(outcome, ['config.json', 'got a file of 60 MB, more than the limit of 8.0 MB']);
  });
});

describe('an API key file', () => {
  const IMPORT = `const { keyFrom } = require('${require.resolve('../../server/cli/apiKey')}');`;
  const assertRefused = (make: (file: string) => void, expected: RegExp): void => {
    const file = join(temporaryFolder(), 'key');
    make(file);
    assert.throws(() => keyFrom(file, 'NONE'), expected);
  };

  it('can be a pipe with a writer', () => {
    const script = `${IMPORT} process.stdout.write(keyFrom('/dev/fd/3', 'NONE'));`;
    const words = `(sleep 0.3; echo the-key) | { exec 3<&0; exec "$0" -e "$1"; }`;
    const { stdout, stderr } = spawnSync('sh', ['-c', words, process.execPath, script], { encoding: 'utf8' });
    assert.equal(stdout, 'the-key', stderr);
  });

  it('is refused when it is a pipe with too many bytes', () => {
    const script = `${IMPORT} try { keyFrom('/dev/fd/3', 'NONE'); } catch ({ message }) { process.stdout.write(message); }`;
    const words = `{ head -c 10000 /dev/zero; sleep 0.3; yes; } | { exec 3<&0; timeout 20 "$0" -e "$1"; }`;
    const { stdout } = spawnSync('sh', ['-c', words, process.execPath, script], { encoding: 'utf8' });
    assert.match(stdout, /Expected an API key in .*3, got more than 10000 bytes/);
  });

  it('is awaited when it is a pipe without a writer, until Ctrl+C', async () => {
    const file = join(temporaryFolder(), 'key');
    assert.equal(spawnSync('mkfifo', [file]).status, 0);
    const script = `${IMPORT} process.stdout.write('ready'); keyFrom('${file}', 'NONE');`;
    const reader = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(reader, 'exit');
    await once(reader.stdout, 'data');
    await setTimeout(100);
    reader.kill('SIGINT');
    assert.deepEqual(await ended, [null, 'SIGINT']);
  });

  it('is refused when it is a device, a folder or far too long', () => {
    assertRefused((file) => symlinkSync('/dev/zero', file), /Expected an API key in .*key, got a device/);
    assertRefused((file) => mkdirSync(file), /got a folder/);
    assertRefused((file) => {
      writeFileSync(file, 'k');
      truncateSync(file, 1e9);
    }, /got a file of 1\.0 GB/);
  });
});
