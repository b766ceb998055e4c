// Tests which settings name the same models, so that these stay in memory, and which name others; and when a remote
// engine counts as reachable.
import assert from 'node:assert/strict';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createModel } from '../../server/hosting/model';
import type { PairName } from '../../server/hosting/pairName';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import { pairIdentity, PairLoader } from '../../server/programs/pairLoader';
import { NO_REMOTE } from '../../server/rules/serverSettings';
import { OpenAiServer } from '../remote/openAiServer';
import { PAIR_TARGET } from '../support/fixtures';
import { temporaryFolder } from '../support/temporaryFolder';

const REMOTE = { ...NO_REMOTE, url: 'http://127.0.0.1:9', model: 'coder', tokenizer: 'built-in' };

describe('pairIdentity', () => {
  it('distinguishes models by their names, their files and how they are loaded', () => {
    const [folder, other] = [temporaryFolder(), temporaryFolder()];
    for (const copy of [folder, other]) cpSync(PAIR_TARGET, copy, { recursive: true });
    const identity = (change: Partial<PairName> = {}): string =>
      pairIdentity({ ...DEFAULT_SETTINGS, target: folder, drafter: 'none', ...change });
    const before = identity();
    assert.equal(identity({ target: `${folder}/` }), before);
    const program = { ...REMOTE, url: '/bin/llama-server' };
    const names = [
      before,
      identity({ target: other }),
      identity({ target: '', drafter: '' }),
      identity({ drafter: other }),
      identity({ drafterBits: '4' }),
      identity({ device: 'cpu' }),
      identity({ strict: true }),
      identity({ remote: REMOTE }),
      identity({ remote: { ...REMOTE, url: 'http://127.0.0.1:8' } }),
      identity({ remote: { ...REMOTE, model: 'another' } }),
      identity({ remote: { ...REMOTE, tokenizer: '' } }),
      identity({ remote: REMOTE, remoteKey: 'one' }),
      identity({ remote: REMOTE, remoteKey: 'two' }),
      identity({ remote: program, drafter: 'none' }),
      identity({ remote: program, drafter: 'ngram-mod' }),
    ];
    assert.equal(new Set(names).size, names.length);
    assert.ok(!identity({ remote: REMOTE, remoteKey: 'sk-never-shown' }).includes('never-shown'));
    // The settings of the local pair do not matter to a remote engine.
    assert.equal(identity({ remote: REMOTE, target: other, strict: true }), identity({ remote: REMOTE }));
    writeFileSync(join(folder, 'chat_template.jinja'), 'x');
    assert.notEqual(identity(), before, 'the files have changed');
  });

  it('refuses a folder without a model', () => {
    const name = { ...DEFAULT_SETTINGS, target: temporaryFolder(), drafter: 'none' };
    assert.throws(() => pairIdentity(name), /config\.json/);
  });
});

/** Observes nothing, and waits for the load. */
const UNWATCHED = { onProgress: () => undefined, log: () => undefined, isHeld: true };

describe('PairLoader', () => {
  it('loads a model whose chat template refuses a conversation without a system message', async () => {
    const target = temporaryFolder();
    cpSync(PAIR_TARGET, target, { recursive: true });
    writeFileSync(
      join(target, 'chat_template.jinja'),
      "{% if messages[0].role != 'system' %}{{ raise_exception('Begin with a system message!') }}{% endif %}" +
        '{% for m in messages %}{{ m.content }}{% endfor %}',
    );
    const loaded = await new PairLoader().load({ ...DEFAULT_SETTINGS, target }, UNWATCHED);
    const { info } = createModel('pair', loaded);
    await loaded.engine.dispose();
    assert.deepEqual([info.target, info.infill], [basename(target), 'fim']);
  });

  it('marks the load of a chosen model, until it ends, but never that of the built-in one', async () => {
    const folder = temporaryFolder();
    const marks = (): number => readdirSync(folder).filter((name) => name.startsWith('loading-')).length;
    const environment = process.env;
    process.env = { ...environment, FLASHLINE_CACHE: folder };
    try {
      for (const [target, count] of [
        [PAIR_TARGET, 1],
        ['', 0],
      ] as const) {
        const during = new Set<number>();
        const observer = { ...UNWATCHED, onProgress: () => void during.add(marks()) };
        const name = { ...DEFAULT_SETTINGS, target, drafter: 'none' };
        const { engine } = await new PairLoader().load(name, observer);
        await engine.dispose();
        assert.deepEqual([[...during], marks()], [[count], 0], target);
      }
    } finally {
      process.env = environment;
    }
  });

  it('reaches a remote engine if it has the model and answers, but does not start a llama-server for that', async () => {
    const server = await OpenAiServer.start();
    const { reach } = new PairLoader();
    const name = (remote: object): PairName => ({ ...DEFAULT_SETTINGS, remote: { ...NO_REMOTE, ...remote } });
    await reach(name({ url: server.url }));
    assert.deepEqual(server.paths, ['/v1/models', '/v1/completions']);
    // Some servers list their models to every client.
    server.respond = (response) => void response.writeHead(401).end();
    await assert.rejects(reach(name({ url: server.url })), /requires an API key/);
    await assert.rejects(
      reach(name({ url: server.url, model: 'another' })),
      /does not have the model another/,
    );
    await reach(name({ url: '/nowhere/llama-server', model: 'another' }));
    const { url } = server;
    await server.stop();
    await assert.rejects(reach(name({ url })), /The connection to/);
  });

  it('loads a remote engine only if it answers a request, and stores no measurements of it', async () => {
    const server = await OpenAiServer.start();
    const name = { ...DEFAULT_SETTINGS, remote: { ...NO_REMOTE, url: server.url } };
    const { engine, target, drafter, remember } = await new PairLoader().load(name, UNWATCHED);
    assert.deepEqual([target, drafter, server.requests.length], ['coder', undefined, 1]);
    remember();
    await engine.dispose();
    server.respond = (response) => void response.writeHead(401).end();
    await assert.rejects(new PairLoader().load(name, UNWATCHED), /requires an API key/);
    await server.stop();
  });
});
