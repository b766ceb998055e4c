// flashline/commitMessage: streams like flashline/generate, and keeps files that no prompt may quote out of its own.
import assert from 'node:assert/strict';
import { ProgressType } from 'vscode-languageserver/node';
import {
  Method,
  type CommitMessageParams,
  type GenerateDelta,
  type GenerateResult,
} from '../../server/protocol/messages';
import type { Answer } from './scriptedEngine';
import { scripted } from './serverInMemory';

const hunk = (...lines: readonly string[]): string => ['@@ -1 +1 @@', ...lines, ''].join('\n');
const CHANGE = { path: 'src/a.ts', diff: hunk('-const a = 1;', '+const a = 2;') };

async function session(answer: Answer = [' Make', ' it two']) {
  const { client, engine } = await scripted([answer], { stepMs: 1 });
  const ask = (params: Partial<CommitMessageParams> | string): Promise<GenerateResult> =>
    client.connection.sendRequest(Method.commitMessage, params as object);
  return { client, engine, ask };
}

describe('flashline/commitMessage', () => {
  it('streams pieces that together are the result', async () => {
    const { client, engine, ask } = await session();
    const deltas: string[] = [];
    client.connection.onProgress(new ProgressType<GenerateDelta>(), 'm', ({ text }) => {
      deltas.push(text);
    });
    const { text, finishReason } = await ask({ changes: [CHANGE], partialResultToken: 'm' });
    assert.deepEqual([text, finishReason, deltas], ['Make it two', 'stop', ['Make', ' it two']]);
    assert.match(
      engine.asked[0]?.prompt ?? '',
      /^File src\/a\.ts\n@@ -1 \+1 @@\n-const a = 1;\n\+const a = 2;\n/,
    );
    assert.equal(engine.asked[0]?.options.kind, 'generate');
    assert.equal(client.rows.at(-1)?.file, 'COMMIT_EDITMSG');
  });

  it('quotes nothing of secret files, and of others that nobody has written the name', async () => {
    const { engine, ask } = await session();
    const key = hunk(' ', '+-----BEGIN OPENSSH PRIVATE KEY-----', '+hunter2');
    await ask({
      changes: [
        { path: '.env', diff: hunk('+PASSWORD=hunter2') },
        { path: 'deploy/.ssh/config', diff: hunk('+HostName hunter2') },
        { path: 'harmless.txt', diff: key },
        { path: 'app.min.js', diff: hunk('+hunter2') },
        { path: 'data.json', diff: hunk(`+${'hunter2'.repeat(1000)}`) },
        CHANGE,
      ],
    });
    const { prompt = '' } = engine.asked[0] ?? {};
    assert.ok(!/hunter2|env|ssh|harmless/.test(prompt), prompt);
    assert.match(
      prompt,
      /File app\.min\.js\n\(not shown\)\n\nFile data\.json\n\(not shown\)\n\nFile src\/a\.ts\n/,
    );
    await assert.rejects(
      ask({ changes: [{ path: '.env', diff: hunk('+A=1') }] }),
      /^Error: Expected changes of files/,
    );
    assert.equal(engine.asked.length, 1);
  });

  const git = (from: string, to: string, head = ''): string =>
    `diff --git ${from} ${to}\n${head}--- ${from}\n+++ ${to}\n${hunk('-old', '+hunter2')}`;
  const renamed = (from: string, to: string): string => `rename from ${from}\nrename to ${to}\n`;
  const base64 = `hunter2${'aB3+dE5/g'.repeat(7).slice(0, 57)}\n`;
  for (const [what, path, diff] of [
    ['was renamed from a secret one', 'a.txt', git('a/.env', 'b/a.txt', renamed('.env', 'a.txt'))],
    ['is renamed to a secret one', 'a.txt', git('a/a.txt', 'b/server.key', renamed('a.txt', 'server.key'))],
    ['was renamed as it is', 'a.txt', `diff --git a/x b/y\n${renamed('hunter2.pem', 'a.txt')}`],
    ['was copied from a secret one', 'a.txt', git('a/a.txt', 'b/a.txt', 'copy from .ssh/hunter2\n')],
    ['has a quoted name', '"\\056env"', hunk('+hunter2')],
    ['has a quoted name in its diff', 'a.txt', git('"a/pr\\303\\266d.env"', '"b/a.txt"')],
    ['has a name that passes as another', 'x/server.key~', hunk('+hunter2')],
    ['has a name with a blank', 'prod.env ', hunk('+hunter2')],
    ['is said to be a folder', '.env/', hunk('+hunter2')],
    ['is a key by a header', 'deploy', '@@ -9,2 +9,2 @@ -----BEGIN EC PRIVATE KEY-----\n-a\n+hunter2\n'],
    [
      'may be the middle of a key',
      'deploy',
      `@@ -9,4 +9,4 @@\n${[...'  -+ '].map((sign) => sign + base64).join('')}`,
    ],
  ] as const)
    it(`quotes nothing of a file that ${what}`, async () => {
      const { engine, ask } = await session();
      await ask({ changes: [{ path, diff }, CHANGE] });
      const { prompt = '' } = engine.asked[0] ?? {};
      assert.match(prompt, /^File src\/a\.ts\n/);
      assert.doesNotMatch(prompt, /hunter2/);
    });

  it('quotes of a diff of several files what is no secret', async () => {
    for (const separator of ['diff --git a/x b/x\n', '']) {
      const { engine, ask } = await session();
      const file = (name: string, text: string) =>
        `${separator.replaceAll('x', name)}--- a/${name}\n+++ b/${name}\n${hunk(`+${text}`)}`;
      const diff = file('first.ts', 'one') + file('.env', 'hunter2') + file('last.ts', 'three');
      await ask({ changes: [{ path: 'first.ts', diff }] });
      const { prompt = '' } = engine.asked[0] ?? {};
      assert.match(prompt, /\+one\n[^]*\+three\n/);
      assert.doesNotMatch(prompt, /hunter2/);
    }
  });

  it('refuses what it cannot use, in one line', async () => {
    const { ask, engine } = await session();
    for (const wrong of [
      {},
      { changes: [{ path: 1, diff: '' }] },
      { changes: [CHANGE], begun: 5 as never },
    ] as const)
      await assert.rejects(ask(wrong as object), /Expected changes with path and diff, got something else/);
    await assert.rejects(ask({ changes: [CHANGE], begun: 'x'.repeat(3000) }), /got 3000; shorten it$/);
    const huge = { path: 'a', diff: 'x'.repeat(3e6) };
    await assert.rejects(ask({ changes: [huge] }), /got 3000001; shorten them$/);
    await assert.rejects(ask({ changes: [] }), /got none/);
    assert.equal(engine.asked.length, 0);
  });
});
