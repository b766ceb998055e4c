// Tests that scripts/apt.mjs waits for a package lock of another process. The fake apt-get prints messages of apt 2.6
// and 1.6.
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Apt {
  installPackages(want: object, machine: object): void;
}

const FRONTEND =
  'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (unattended-upgr)\n' +
  'E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?';
const LISTS =
  'Reading package lists...\nE: Could not get lock /var/lib/apt/lists/lock. It is held by process 12\n' +
  'E: Unable to lock directory /var/lib/apt/lists/';
const ARCHIVES =
  'E: Could not get lock /var/cache/apt/archives/lock - open (11: Resource temporarily unavailable)\n' +
  'E: Unable to lock directory /var/cache/apt/archives/';
const UNKNOWN_PACKAGE = 'E: Unable to locate package chromium';

describe('the set-up, where another process holds a lock of apt', () => {
  let apt: Apt;
  before(async () => {
    apt = (await import(pathToFileURL(resolve('scripts/apt.mjs')).href)) as Apt;
  });

  const failed = (output: string) => ({ ok: false, output, status: 'exit code 100' });
  const done = { ok: true, output: '', status: 'exit code 0' };

  /** Installs packages with a scripted apt-get; returns its calls. */
  function install(answers: (typeof done)[], waitMs: number) {
    const commands: (string | undefined)[] = [];
    const printed: string[] = [];
    const { error } = console;
    console.error = (line: string) => printed.push(line);
    const want = {
      problem: 'Chromium is missing',
      packages: ['chromium'],
      names: 'it',
      retryCommand: 'npm test',
    };
    // Repeats the last answer.
    const runApt = (_: string, words: string[]) =>
      answers[Math.min(commands.push(words[3]), answers.length) - 1] ?? done;
    try {
      apt.installPackages(want, {
        rights: { apt: true, root: true, sudo: false },
        waitMs,
        retryMs: 1,
        runApt,
      });
    } finally {
      console.error = error;
    }
    return { commands, waits: printed.filter((line) => line.includes('waiting')) };
  }

  it('retries apt until its lock is free, and names the holder whenever it changes', () => {
    const answers = [FRONTEND, FRONTEND, ARCHIVES, FRONTEND].map(failed);
    const { commands, waits } = install([...answers, done], 600_000);
    assert.deepEqual(commands, Array<string>(5).fill('install'));
    assert.equal(waits.length, 3);
    assert.match(waits[0] ?? '', /10 minutes at most: process 4711 \(unattended-upgr\) holds .*frontend/);
  });

  it('waits for the lock when apt updates its package lists', () => {
    const answers = [failed(UNKNOWN_PACKAGE), failed(LISTS), failed(LISTS), done, failed(FRONTEND), done];
    const { commands, waits } = install(answers, 600_000);
    assert.deepEqual(commands, ['install', 'update', 'update', 'update', 'install', 'install']);
    assert.equal(waits.length, 2);
  });

  it('gives up on the lock of apt after the limit, with the holder and a remedy', () => {
    assert.throws(() => install([failed(FRONTEND)], 20), {
      message:
        /process 4711 \(unattended-upgr\) holds .*\. Wait until that process ends and run "npm test" again\./,
    });
  });

  it('does not retry apt after other failures', () => {
    assert.throws(() => install([failed(UNKNOWN_PACKAGE)], 600_000), {
      message:
        /^Chromium is missing, and apt-get failed with exit code 100\. Run ".*" and then "npm test"\.$/,
    });
  });
});
