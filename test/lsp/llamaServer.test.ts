// Tests a llama-server that the language server starts: its start, its status and its end. A program of this repository
// takes its place.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isAlive } from '../../server/machine/isAlive';
import { createModelPool } from '../../server/programs/composition';
import { NO_REMOTE } from '../../server/rules/serverSettings';
import { temporaryFolder } from '../support/temporaryFolder';
import type { EditorClient } from './editorClient';
import { serverInMemory } from './serverInMemory';
import { ServerProcess } from './serverProcess';

const PROGRAM = resolve('test/remote/llama-server.mjs');
const TEXT = 'const sum = (a, b) => ║\n';

function modelFile(plan: unknown = {}, name = 'coder.gguf'): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, JSON.stringify(plan));
  return file;
}

function settings(model: string, url = PROGRAM) {
  return { debounceMs: 0, remote: { ...NO_REMOTE, url, model } };
}

/** Returns the process ids that the log names. */
function processIds({ logs }: EditorClient): number[] {
  return logs.flatMap((line) => /^llama-server: .* as process (\d+)/.exec(line)?.slice(1) ?? []).map(Number);
}

function parentOf(id: number): number {
  return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(id)], { encoding: 'utf8' }));
}

/** Waits until a process has ended. */
async function untilEnded(id: number | undefined): Promise<void> {
  while (isAlive(id ?? assert.fail())) await new Promise((done) => setTimeout(done, 20));
}

describe('a llama-server started by Flashline', () => {
  let client: EditorClient;
  beforeEach(() => (client = serverInMemory(createModelPool())));
  afterEach(async () => {
    await client.connection.sendRequest('shutdown');
    client.connection.dispose();
    for (const id of processIds(client)) await untilEnded(id);
  });

  it('completes code, and its log lines and counters are reported', async () => {
    // The model's name omits the extension of its file, also in capitals.
    const file = modelFile({}, 'Coder.GGUF');
    await client.start({ ...settings(file), drafter: `draft-dflash:${file}` });
    assert.deepEqual(client.status?.model?.remote, { host: 'llama.cpp (local)' });
    assert.equal(client.status?.model?.target, 'Coder');
    assert.equal(await client.text(await client.open('sum.ts', TEXT)), 'a + b;');
    assert.ok(client.logs.some((line) => line.endsWith(`spec draft-dflash ${file}`)));
    assert.ok(client.logs.some((line) => line.endsWith('llama_server: model loaded')));
    const { stats, rates } = client.rows.at(-1) ?? assert.fail();
    assert.deepEqual([stats.promptTokens, stats.reusedTokens, stats.emittedTokens], [7, 3, 4]);
    assert.deepEqual([stats.draftedTokens, stats.acceptedTokens], [6, 5]);
    assert.deepEqual([stats.prefillMs, stats.decodeMs, rates.decodeTokensPerSecond], [8, 30, 100]);
  });

  it('is ready only after it has loaded its model, even if it lists it earlier', async () => {
    await client.start(settings(modelFile({ listsEarly: true })));
    assert.equal(await client.text(await client.open('sum.ts', TEXT)), 'a + b;');
    assert.equal(processIds(client).length, 1);
  });

  it('is restarted for another drafter', async () => {
    const initial = settings(modelFile());
    await client.start(initial);
    await client.settings({ ...initial, drafter: 'ngram-mod' });
    await client.until(() => client.logs.some((line) => line.includes('spec ngram-mod')));
    await untilEnded(processIds(client)[0]);
  });

  it('ends during its start when the settings name another model', async () => {
    await client.initialize({ ...settings(modelFile({ isEndless: true })), load: 'start' });
    await client.until(() => processIds(client).length > 0);
    await client.settings(settings(modelFile()));
    await client.until(() => client.status?.state === 'ready');
    await untilEnded(processIds(client)[0]);
  });

  it('ends when it is not needed, and starts again with the next request', async () => {
    await client.start({ ...settings(modelFile()), unloadAfterMinutes: 0.01 });
    await client.until(() => client.status?.asleepBecause === 'idle');
    assert.equal(client.status?.host, 'llama.cpp (local)');
    await untilEnded(processIds(client)[0]);
    assert.equal(await client.text(await client.open('sum.ts', TEXT)), 'a + b;');
    assert.equal(processIds(client).length, 2);
  });

  it('is started again after it has crashed during an answer, with the reason in the status', async () => {
    await client.start(settings(modelFile()));
    assert.equal(await client.text(await client.open('crash.ts', '// crash\n'.concat(TEXT))), undefined);
    await client.until(() => client.status?.state === 'unreachable');
    const message = client.status?.message ?? '';
    assert.match(message, /^llama-server ended \(ended by SIGKILL\)\. /);
    const place = await client.open('sum.ts', TEXT);
    await client.answered(place);
    assert.equal(processIds(client).length, 2);
  });

  it('ends when its watching process is killed, and starts again with the next request', async () => {
    await client.start(settings(modelFile()));
    const [id = assert.fail()] = processIds(client);
    process.kill(parentOf(id), 'SIGKILL');
    await untilEnded(id);
    const place = await client.open('sum.ts', TEXT);
    await client.answered(place);
    assert.equal(processIds(client).length, 2);
  });

  it('runs and ends when it is started through a script', async () => {
    const script = join(temporaryFolder(), 'llama-server.sh');
    writeFileSync(script, `#!/bin/sh\n${PROGRAM} "$@"\necho ended\n`, { mode: 0o755 });
    await client.start({ ...settings(modelFile(), script), unloadAfterMinutes: 0.01 });
    await client.until(() => client.status?.asleepBecause === 'idle');
    await untilEnded(processIds(client)[0]);
  });

  const wrong: readonly (readonly [what: string, expected: string, settingsOf: () => object])[] = [
    [
      'a missing program',
      'There is no llama-server at .*\\. Install .*brew',
      () => settings('/a', '/no/llama-server'),
    ],
    [
      'a missing model',
      'Expected a GGUF file .*, got /nowhere.gguf, where there',
      () => settings('/nowhere.gguf'),
    ],
    [
      'a file that is not a model',
      'llama-server ended before its model was loaded \\(gguf_init.*magic',
      () => settings(PROGRAM),
    ],
    [
      'a missing program in the home folder',
      `There is no llama-server at ${homedir()}/none/llama-server\\.`,
      () => settings(modelFile(), '~/none/llama-server'),
    ],
    [
      'a program that ends without an error',
      'llama-server ended before its model was loaded \\(two \\| three \\| four \\| five\\)',
      () => {
        const script = join(temporaryFolder(), 'llama-server.sh');
        const words = 'one two three four five'.split(' ').map((word) => `echo ${word}\n`);
        writeFileSync(script, `#!/bin/sh\n[ "$1" = --help ] && exec ${PROGRAM} --help\n${words.join('')}`, {
          mode: 0o755,
        });
        return settings(modelFile(), script);
      },
    ],
    [
      'a model without infill tokens',
      'llama-server cannot fill in the middle with .*coder.gguf',
      () => settings(modelFile({ noFim: true })),
    ],
    [
      'an unknown kind of drafts',
      'Expected a kind of drafts .*\\(none, draft-simple, draft-dflash, ngram-mod\\), got "draft-new"',
      () => ({ ...settings(modelFile()), drafter: 'draft-new:/a.gguf' }),
    ],
  ];
  for (const [what, expected, settingsOf] of wrong)
    it(`reports ${what} as an error in the status`, async () => {
      await client.initialize({ ...settingsOf(), load: 'start' });
      await client.until(() => client.status?.state === 'error');
      assert.match(client.status?.message ?? '', new RegExp(`^${expected}`));
    });
});

describe('the llama-server of a server process', () => {
  it('does not outlive that process when its channel closes or it is killed', async () => {
    for (const end of ['disconnect', 'kill'] as const) {
      const server = ServerProcess.overIpc();
      await server.client.start(settings(modelFile()));
      const [id] = processIds(server.client);
      if (end === 'kill') server.kill();
      else server.child.disconnect();
      await server.ended();
      await untilEnded(id);
    }
  });

  it('is never started from the settings of a client of `flashline lsp`', async () => {
    const server = ServerProcess.overStdio();
    await server.client.initialize({ ...settings(modelFile()), target: '/nowhere', load: 'start' });
    await server.client.until(() => server.client.status?.state === 'error');
    assert.deepEqual(processIds(server.client), []);
    server.kill();
  });
});
