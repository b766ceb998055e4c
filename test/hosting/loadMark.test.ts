// Tests that loads that crash the process are recorded, and refused after the second.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LoadCrash, markLoad } from '../../server/hosting/loadMark';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import { createModelPool } from '../../server/programs/composition';
import { pairIdentity } from '../../server/programs/pairLoader';
import { Window } from '../lsp/hostedModels';
import { temporaryFolder } from '../support/temporaryFolder';

describe('markLoad', () => {
  let folder: string;
  beforeEach(() => (folder = join(temporaryFolder(), 'new')));

  /** Returns the arguments for a process that begins to load a pair, and then runs the statements `end`. */
  function loading(pair: string, end: string): [string, string] {
    const module = JSON.stringify(resolve('out/server/hosting/loadMark.js'));
    const begin = `require(${module}).markLoad(${JSON.stringify(pair)}, 'a', ${JSON.stringify(folder)})`;
    return ['-e', `const done = ${begin}; ${end}`];
  }
  const load = (pair: string, end: string): void => {
    spawnSync(process.execPath, loading(pair, end));
  };
  const crash = (pair: string): void => {
    load(pair, "process.kill(process.pid, 'SIGKILL'); for (;;);");
  };
  /** Begins to load a pair in this process, and returns the function that ends the load. */
  const begin = (pair: string): (() => void) => markLoad(pair, 'huge', folder);
  const files = (): string[] => readdirSync(folder);

  it('refuses a pair that has crashed two processes, and no other', () => {
    crash('a');
    crash('a');
    assert.throws(() => begin('a'), LoadCrash);
    assert.throws(() => begin('a'), /Loading huge crashed the server process each time\. Choose/);
    begin('b')();
  });

  it('forgives one crash, and all crashes once the pair was loaded', () => {
    crash('a');
    begin('a')();
    assert.deepEqual(files(), []);
    crash('a');
    begin('a')();
  });

  it('does not count a load that fails, nor a process that exits', () => {
    for (let times = 0; times < 3; times++) {
      load('a', 'done()');
      load('a', 'process.exit(1)');
    }
    assert.deepEqual(files(), []);
  });

  it('makes a server fall back to the built-in pair after two crashes', async () => {
    const environment = process.env;
    process.env = { ...environment, FLASHLINE_CACHE: folder };
    try {
      const target = temporaryFolder();
      writeFileSync(join(target, 'config.json'), '{"model_type":"qwen3"}');
      const settings = { ...DEFAULT_SETTINGS, target, device: 'cpu' } as const;
      const window = new Window(createModelPool());
      await window.configure(settings);
      assert.equal(await window.requestedTarget(), undefined);
      assert.match(window.status?.message ?? '', /^Expected/);
      assert.deepEqual(files(), [], 'a load that fails is marked as a crash');
      crash(pairIdentity(settings));
      crash(pairIdentity(settings));
      await window.configure({ ...settings, device: 'auto' });
      await window.configure(settings);
      assert.equal(await window.requestedTarget(), 'embedded');
      assert.match(window.status?.fallback ?? '', /crashed the server process each time/);
      await window.lease.dispose();
    } finally {
      process.env = environment;
    }
  });

  it('does not count a load that is still running', () => {
    const listeners = process.listenerCount('exit');
    const ends = [begin('a'), begin('a'), begin('a')];
    for (const end of ends) end();
    assert.deepEqual(files(), []);
    assert.equal(process.listenerCount('exit'), listeners, 'the end of the process is still watched');
  });

  it('counts a crash after another process has ended its load of the same pair', async () => {
    const end = begin('a');
    const child = spawn(process.execPath, loading('a', 'console.log(); setInterval(() => {}, 1000);'));
    await once(child.stdout, 'data');
    end();
    child.kill('SIGKILL');
    await once(child, 'close');
    crash('a');
    assert.throws(() => begin('a'), LoadCrash);
  });

  it('loads without a mark where none can be written', () => {
    writeFileSync(folder, 'a file');
    begin('a')();
    assert.equal(readFileSync(folder, 'utf8'), 'a file');
  });

  it('ignores marks that are a day old', () => {
    crash('a');
    crash('a');
    const age = (hours: number): void => {
      const time = Date.now() / 1000 - 3600 * hours;
      for (const name of files()) utimesSync(join(folder, name), time, time);
    };
    age(23);
    assert.throws(() => begin('a'), LoadCrash);
    age(25);
    begin('a')();
    crash('b');
    crash('b');
    // Marks in the future: the clock was wrong when they were made.
    age(-25);
    begin('b')();
    assert.deepEqual(files(), []);
  });
});
