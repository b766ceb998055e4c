// Tests options that name a remote engine, and the commands that use one on this machine.
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, relative, resolve } from 'node:path';
import { remoteArguments, remoteSettings } from '../../server/cli/remoteArguments';
import { OpenAiServer, sendJson, streaming } from '../remote/openAiServer';
import { temporaryFolder } from '../support/temporaryFolder';
import { flashline } from './flashline';
import { writeSmallTarget } from './smallTarget';

const KEY = 'sk-of-the-command-line';

describe('arguments of a remote engine', () => {
  it('are rejected if they are incomplete or contradict each other', () => {
    assert.equal(remoteArguments({}), undefined);
    for (const name of ['remote-model', 'remote-tokenizer', 'remote-key-file', 'remote-drafter'])
      assert.throws(() => remoteArguments({ [name]: 'm' }), new RegExp(`--${name} needs --remote\\.`));
    for (const local of [
      { target: 'm' },
      { drafter: 'none' },
      { 'drafter-bits': '4' },
      { device: 'cpu' },
      { strict: true },
    ])
      assert.throws(
        () => remoteArguments({ remote: 'http://a', ...local }),
        new RegExp(`--remote contradicts --${Object.keys(local).join()}\\.`),
      );
    const file = join(temporaryFolder(), 'key');
    assert.throws(
      () => remoteArguments({ remote: 'http://a', 'remote-key-file': file }),
      /an API key in .*key,/,
    );
    writeFileSync(file, `${KEY}\n`);
    const { key, ...choice } = remoteArguments({ remote: 'http://a', 'remote-key-file': file }) ?? {};
    assert.deepEqual([key, choice], [KEY, { url: 'http://a', model: '', tokenizer: '' }]);
  });

  it('name a model of a server unchanged even if a folder here has that name', () => {
    const choice = remoteArguments({ remote: 'http://a', 'remote-model': 'test/cli' });
    assert.equal(choice?.model, 'test/cli');
  });

  it('name a model on Hugging Face unchanged even if a folder here has that name', () => {
    const choice = remoteArguments({ remote: 'llama-server', 'remote-model': 'test/cli' });
    assert.equal(choice?.model, 'test/cli');
  });

  it('give the language server no remote engine when they are missing', () => {
    assert.equal(remoteSettings(undefined).remote?.url, '');
  });

  it('give the language server the key, and drafts only of a llama-server', () => {
    const named = { model: 'm', tokenizer: 't', key: KEY };
    const remote = { url: 'http://a', model: 'm', tokenizer: 't', fallback: false };
    assert.deepEqual(remoteSettings({ url: 'http://a', ...named }), { remote, remoteKey: KEY });
    const url = '/opt/llama-server';
    for (const [drafter, expected] of [
      [undefined, ''],
      ['ngram-mod', 'ngram-mod'],
    ] as const)
      assert.deepEqual(remoteSettings({ url, ...named, ...(drafter && { drafter }) }), {
        remote: { ...remote, url },
        remoteKey: KEY,
        drafter: expected,
      });
  });
});

describe('flashline complete --remote llama-server', () => {
  const program = 'test/remote/llama-server.mjs';
  const place = 'media/examples/shoppingCart.ts:20:22';
  const complete = (remote: string, ...args: string[]) =>
    flashline(['complete', place, '--remote', remote, ...args]);

  it('starts llama-server with relative file names, and ends it', async () => {
    const file = relative('.', join(temporaryFolder(), 'coder.gguf'));
    writeFileSync(file, '{}');
    const drafts = ['--remote-drafter', 'ngram-mod'];
    const { code, stdout, stderr } = await complete(program, '--remote-model', file, '--json', ...drafts);
    assert.equal(code, 0, stderr);
    const { text, stats } = JSON.parse(stdout) as { text: string; stats: { acceptanceRate: number } };
    assert.deepEqual([text, stats.acceptanceRate], ['a + b;', 5 / 6]);
  });

  for (const [what, write] of [
    ['folder', (path: string) => mkdirSync(path)],
    ['file', (path: string) => writeFileSync(path, '#!/bin/sh\necho mine >&2\nexit 1\n', { mode: 0o755 })],
  ] as const)
    it(`starts the llama-server on the PATH even if the current folder has a ${what} of that name`, async () => {
      const [bin, cwd] = [temporaryFolder(), temporaryFolder()];
      symlinkSync(resolve(program), join(bin, 'llama-server'));
      write(join(cwd, 'llama-server'));
      writeFileSync(join(cwd, 'coder.gguf'), '{}');
      const env = { ...process.env, PATH: [bin, process.env['PATH']].join(delimiter) };
      const args = [resolve(place), '--remote', 'llama-server', '--remote-model', 'coder.gguf'];
      const { code, stderr } = await flashline(['complete', ...args], { cwd, env });
      assert.equal(code, 0, stderr);
    });

  it('ends llama-server after an error about the tokenizer', async () => {
    const file = join(temporaryFolder(), 'coder.gguf');
    writeFileSync(file, '{}');
    const tokenizer = writeSmallTarget({ specialTokens: ['<|fim_prefix|>', '<|fim_suffix|>'] });
    const options = ['--remote-model', file, '--remote-tokenizer', tokenizer];
    const { code, stderr } = await complete(program, ...options);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /has no fill-in-the-middle tokens in a published format/);
  });

  it('complains about a missing llama-server with the way to install it, and about misplaced options', async () => {
    const { code, stderr } = await complete('llama-server-of-nobody');
    assert.equal(code, 2);
    assert.match(stderr, /^flashline: There is no llama-server in the PATH\. Install llama\.cpp [^\n]*\n$/);
    assert.throws(
      () => remoteArguments({ remote: 'http://a', 'remote-drafter': 'ngram-mod' }),
      /--remote-drafter needs --remote llama-server\./,
    );
  });
});

describe('flashline complete --remote', () => {
  let server: OpenAiServer;
  beforeEach(async () => (server = await OpenAiServer.start()));
  afterEach(async () => await server.stop());

  const complete = (...args: string[]) =>
    flashline(['complete', 'media/examples/shoppingCart.ts:20:22', '--remote', server.url, ...args], {
      env: { ...process.env, FLASHLINE_REMOTE_API_KEY: KEY },
    });

  it('prints the text of the server, and null for unknown numbers', async () => {
    server.respond = streaming([') {', ' }'], 'stop', { usage: { prompt_tokens: 12, completion_tokens: 3 } });
    const { code, stdout } = await complete('--json');
    assert.equal(code, 0);
    const { text, tokenIds, stats } = JSON.parse(stdout) as {
      readonly text: string;
      readonly tokenIds: unknown;
      readonly stats: Readonly<Record<string, unknown>>;
    };
    assert.deepEqual([text, tokenIds], [') { }', null]);
    const { promptTokens, emittedTokens, rounds, peakMemoryBytes } = stats;
    assert.deepEqual([promptTokens, emittedTokens, rounds, peakMemoryBytes], [12, 3, null, null]);
    const { stdout: table } = await complete();
    assert.match(table, /drafts accepted +unknown of unknown/);
    const [{ headers, body } = assert.fail()] = server.requests;
    assert.equal(headers.authorization, `Bearer ${KEY}`);
    assert.match(String(body['suffix']), /\S/);
  });

  it('sends the key of --remote-key-file, even if the environment has another one', async () => {
    const file = join(temporaryFolder(), 'key');
    writeFileSync(file, 'sk-of-the-file\n');
    assert.equal((await complete('--remote-key-file', file)).code, 0);
    assert.equal(server.requests[0]?.headers.authorization, 'Bearer sk-of-the-file');
  });

  it('reports in one line why the server cannot be used, without the key', async () => {
    server.respond = (response) => sendJson(response, 401, { error: KEY });
    const { code, stderr } = await complete();
    assert.equal(code, 2);
    assert.match(stderr, /^flashline: 127\.0\.0\.1:\d+ rejected the API key \(HTTP status 401\)\. [^\n]*\n$/);
    assert.ok(!stderr.includes(KEY));
  });
});
