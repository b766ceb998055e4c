// Tests `flashline serve` as a process: it prints its address, serves, and ends on a signal.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { until } from '../editor/waiting';
import { PAIR_TARGET } from '../support/fixtures';
import { seededIntegers } from '../support/seededRandom';
import { temporaryFolder } from '../support/temporaryFolder';
import { flashline, type Outcome } from './flashline';

const ADDRESS = /listening on (http:\/\/127\.0\.0\.1:\d+)\n/;

/** Starts a server; returns its address and the outcome of its process. */
async function startServer(
  args: readonly string[],
): Promise<{ address: string; child: ChildProcess; ended: Promise<Outcome> }> {
  let child: ChildProcess | undefined;
  const ended = flashline(['serve', '--port', '0', '--device', 'cpu', ...args], {
    onStart: (started) => (child = started),
  });
  const address = await new Promise<string>((resolve, reject) => {
    let text = '';
    child?.stdout?.on('data', (data) => {
      text += String(data);
      const [, found] = ADDRESS.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    void ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  return { address, child: child ?? assert.fail(), ended };
}

/** Resolves once the model has loaded. */
async function untilHealthy(address: string): Promise<void> {
  await until('the model has loaded', async () => (await fetch(`${address}/health`)).ok);
}

describe('flashline serve', function () {
  this.timeout(600_000);

  it('listens, is healthy once the model has loaded, and ends on a signal', async () => {
    const { address, child, ended } = await startServer([]);
    await untilHealthy(address);
    const { data } = (await (await fetch(`${address}/v1/models`)).json()) as { data: { id: string }[] };
    assert.deepEqual(
      data.map(({ id }) => id),
      ['embedded'],
    );
    child.kill('SIGTERM');
    const { code, stdout, stderr } = await ended;
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(`^flashline: ${ADDRESS.source}$`));
  });

  it('answers to the name of this machine, and to --allow-host and --cors-origin, in upper or lower case', async () => {
    const { address, child, ended } = await startServer([
      '--allow-host',
      'Build.Example',
      '--cors-origin',
      'https://App.Example:443',
      '--cors-origin',
      'vscode-webview://id',
    ]);
    const statusWith = (headers: Readonly<Record<string, string>>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        get(`${address}/v1/models`, { headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).on('error', reject);
      });
    await untilHealthy(address);
    const ownNames = [hostname().toUpperCase(), hostname().toLowerCase()];
    for (const host of ['Build.Example', 'build.example:80', ...ownNames])
      assert.equal(await statusWith({ host }), 200, host);
    assert.equal(await statusWith({ host: 'other.example' }), 403);
    for (const origin of ['https://app.example', 'vscode-webview://id'])
      assert.equal(await statusWith({ origin }), 200, origin);
    assert.equal(await statusWith({ origin: 'https://other.example' }), 403);
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });

  it('applies its options for access, body size, cache and drafts', async () => {
    const file = join(temporaryFolder(), 'key');
    writeFileSync(file, 'sk-of-the-file\n');
    const options = ['--api-key-file', file, '--strict-model', '--max-body-mb', '1', '--cache-memory', '0'];
    const origins = ['--cors-origin', 'https://a.example', '--cors-origin', 'https://b.example'];
    const { address, child, ended } = await startServer([...options, ...origins, '--draft-length', '0']);
    await untilHealthy(address);
    const complete = async (fields: object, headers: Record<string, string> = {}) => {
      const response = await fetch(`${address}/completion`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer sk-of-the-file', ...headers },
        body: JSON.stringify({ prompt: 'x = ', n_predict: 8, ...fields }),
      });
      return { response, json: (await response.json()) as { timings: Record<string, number> } };
    };
    for (const origin of ['https://a.example', 'https://b.example']) {
      const { response } = await complete({}, { origin });
      assert.deepEqual([response.status, response.headers.get('access-control-allow-origin')], [200, origin]);
    }
    const { json } = await complete({});
    assert.equal(json.timings['draft_n'] ?? 0, 0, 'no drafts');
    assert.equal(json.timings['cache_n'], 0, 'no cached prompt');
    const statuses = [
      complete({}, { authorization: 'Bearer another' }),
      complete({}, { origin: 'https://c.example' }),
      complete({ model: 'another' }),
      complete({ model: 'embedded' }),
      complete({ prompt: 'x'.repeat(1_000_000) }),
    ].map(async (answer) => (await answer).response.status);
    assert.deepEqual(await Promise.all(statuses), [401, 403, 404, 200, 413]);
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });

  it('reuses the prompts of alternating clients, whatever their lengths', async () => {
    const { address, child, ended } = await startServer([]);
    await untilHealthy(address);
    const cachedTokens = async (prompt: readonly number[]): Promise<number> => {
      const response = await fetch(`${address}/v1/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prompt, max_tokens: 1 }),
      });
      const { usage } = (await response.json()) as {
        usage: { prompt_tokens_details: { cached_tokens: number } };
      };
      return usage.prompt_tokens_details.cached_tokens;
    };
    const clients = [8, 64, 121, 177, 234, 290, 347, 403].map((length, i) =>
      seededIntegers(i, length, 300, 9000),
    );
    for (const isCached of [false, true])
      for (const prompt of clients)
        assert.equal(await cachedTokens(prompt), isCached ? prompt.length - 1 : 0);
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });

  it('completes a running stream before it ends on a signal', async () => {
    const { address, child, ended } = await startServer([]);
    await untilHealthy(address);
    const response = await fetch(`${address}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'def add(a, b):\n', max_tokens: 16, stream: true }),
    });
    child.kill('SIGINT');
    assert.match(await response.text(), /"finish_reason":"(?:length|stop)"[^]*data: \[DONE\]\n\n$/);
    assert.equal((await ended).code, 0);
  });

  it('completes with a model whose chat template cannot be read, and refuses its chats with the reason', async () => {
    const folder = temporaryFolder();
    cpSync(PAIR_TARGET, folder, { recursive: true });
    writeFileSync(
      join(folder, 'chat_template.jinja'),
      '{% for message in messages %}{{ message | unheard }}',
    );
    const { address, child, ended } = await startServer(['--target', folder, '--drafter', 'none']);
    await untilHealthy(address);
    const post = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(address + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, text: await response.text() };
    };
    assert.equal((await post('/v1/completions', { prompt: 'x = ', max_tokens: 1 })).status, 200);
    assert.equal((await post('/infill', { input_prefix: 'x = ', n_predict: 1 })).status, 200);
    const chat = await post('/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }] });
    assert.equal(chat.status, 501);
    assert.match(chat.text, /chat template/);
    assert.ok(!chat.text.includes(folder), chat.text);
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });

  it('reports a problem of the model once', async () => {
    const { code, stderr } = await flashline(['serve', '--port', '0', '--target', 'no/such-model']);
    assert.equal(code, 2, stderr);
    assert.match(
      stderr,
      /^flashline: No model folder at .*no\/such-model\. Choose one that holds config\.json and the weights\.\n$/,
    );
  });
});
