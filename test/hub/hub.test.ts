// Tests the address and the token of the hub: given values override the environment, and errors contain no secret.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { explain, folderProblem } from '../../server/hub/downloadError';
import { HubFailure } from '../../server/hub/hubFailure';
import { Hub } from '../../server/hub/hub';
import { TOKEN } from '../support/hub/madeUpModel';
import { temporaryFolder } from '../support/temporaryFolder';

describe('settings of the Hub', () => {
  /** Names a folder that does not exist, so that the token of this machine is not read. */
  const emptyEnv = { HF_HOME: '/nowhere' };

  afterEach(() => {
    mock.restoreAll();
  });

  it('prefer the given endpoint, then the environment, then huggingface.co', () => {
    const HF_ENDPOINT = 'https://mirror.example/hub/';
    assert.equal(new Hub({ env: emptyEnv }).endpoint, 'https://huggingface.co');
    assert.equal(new Hub({ env: { ...emptyEnv, HF_ENDPOINT } }).endpoint, 'https://mirror.example/hub');
    assert.equal(
      new Hub({ env: { HF_ENDPOINT }, endpoint: 'http://localhost:1' }).endpoint,
      'http://localhost:1',
    );
    assert.equal(new Hub({ env: { ...emptyEnv, HF_ENDPOINT: ' ' } }).endpoint, 'https://huggingface.co');
  });

  it('include the token of other tools', () => {
    const home = temporaryFolder();
    const tokenFile = join(temporaryFolder(), 'token');
    mkdirSync(join(home, 'huggingface'));
    writeFileSync(join(home, 'huggingface', 'token'), `${TOKEN}\n`);
    writeFileSync(tokenFile, 'hf_other');
    const token = (env: NodeJS.ProcessEnv, given?: string): string | undefined =>
      new Hub({ env, token: given }).token;
    assert.equal(token(emptyEnv), undefined);
    assert.equal(token({ XDG_CACHE_HOME: home }), TOKEN);
    assert.equal(token({ HF_HOME: join(home, 'huggingface') }), TOKEN);
    assert.equal(token({ XDG_CACHE_HOME: home, HF_TOKEN_PATH: tokenFile }), 'hf_other');
    mock.method(os, 'homedir', () => home);
    assert.equal(token({ HF_TOKEN_PATH: '~/huggingface/token' }), TOKEN);
    assert.equal(token({ XDG_CACHE_HOME: home, HF_TOKEN_PATH: '' }), TOKEN, 'an empty path');
    assert.equal(token({ XDG_CACHE_HOME: home, HUGGING_FACE_HUB_TOKEN: 'hf_b' }), 'hf_b');
    assert.equal(token({ XDG_CACHE_HOME: home, HUGGING_FACE_HUB_TOKEN: 'hf_b', HF_TOKEN: 'hf_c' }), 'hf_c');
    assert.equal(token({ HF_TOKEN: 'hf_c' }, 'hf_given'), 'hf_given');
  });

  it('have no token for an unencrypted hub, unless that is on this machine', () => {
    const token = (endpoint: string) => new Hub({ env: emptyEnv, endpoint, token: TOKEN }).token;
    for (const endpoint of ['http://mirror.example', 'http://10.0.0.1:8080', 'http://localhost.example'])
      assert.equal(token(endpoint), undefined, endpoint);
    for (const endpoint of [
      'https://mirror.example',
      'http://localhost:1',
      'http://127.0.0.1:1',
      'http://[::1]:1',
    ])
      assert.equal(token(endpoint), TOKEN, endpoint);
    assert.throws(
      () => new Hub({ env: emptyEnv, endpoint: 'http://a', token: 's3cret\nvalue' }),
      /a Hugging Face/,
    );
  });

  it('explain a hub that asks for a token that it must not get', () => {
    const connection = new Hub({ env: emptyEnv, endpoint: 'http://mirror.example', token: TOKEN });
    for (const status of [401, 403]) {
      const failure = new HubFailure('refused', status, undefined, 'GatedRepo');
      assert.match(
        explain(connection, 'a/b', failure).message,
        /without a token\)\. Use an endpoint with https/,
      );
    }
  });

  it('explain why a folder of downloads cannot be used, and leave other errors as they are', () => {
    const problem = (code: string, syscall: string): unknown =>
      folderProblem(Object.assign(new Error('failed'), { code, syscall, path: '/cache/a' }), '/cache');
    for (const [code, syscall, expected] of [
      ['EACCES', 'mkdir', 'Downloads in /cache cannot be read or written (no permission).'],
      ['ENOSPC', 'mkdir', 'Downloads in /cache cannot be read or written (a full disk).'],
      // On a read-only file system, Node's mkdir fails with ENOENT.
      ['ENOENT', 'mkdir', 'Downloads in /cache cannot be read or written (a read-only file system).'],
      ['ELOOP', 'open', 'Downloads in /cache/a cannot be read or written (a link that leads to itself).'],
      ['ENOENT', 'open', 'failed'],
      ['EMFILE', 'mkdir', 'failed'],
    ] as const) {
      const error = problem(code, syscall);
      assert.ok(error instanceof Error && error.message.startsWith(expected), String(error));
    }
  });

  it('explain each failure with its kind and the variable that helps', () => {
    const cases: readonly (readonly [
      status: number | 'unusable' | undefined,
      code: string | undefined,
      token: string | undefined,
      reason: string,
      command: string | undefined,
    ])[] = [
      [403, 'GatedRepo', TOKEN, 'refused', 'HF_TOKEN'],
      [404, 'RepoNotFound', TOKEN, 'missing', 'HF_TOKEN'],
      [401, 'RepoNotFound', undefined, 'missing', 'HF_TOKEN'],
      // Without a code, the Hub does not say whether the repository is missing or private.
      [401, undefined, undefined, 'refused', 'HF_TOKEN'],
      [401, undefined, TOKEN, 'refused', 'HF_TOKEN'],
      [403, undefined, TOKEN, 'refused', 'HF_TOKEN'],
      [404, 'EntryNotFound', TOKEN, 'other', undefined],
      [429, undefined, TOKEN, 'other', 'HF_TOKEN'],
      [500, undefined, TOKEN, 'other', 'HF_ENDPOINT'],
      [418, undefined, TOKEN, 'other', 'HF_ENDPOINT'],
      ['unusable', undefined, TOKEN, 'other', 'HF_ENDPOINT'],
      [undefined, undefined, TOKEN, 'other', 'HF_ENDPOINT'],
    ];
    for (const [status, code, token, reason, command] of cases) {
      const failure = new HubFailure('got', status, undefined, code);
      const explained = explain(new Hub({ env: emptyEnv, token }), 'a/b', failure);
      assert.deepEqual([explained.reason, explained.command], [reason, command], explained.message);
    }
    const anonymous = explain(new Hub({ env: emptyEnv }), 'a/b', new HubFailure('HTTP status 401', 401));
    assert.match(
      anonymous.message,
      /has no repository named a\/b \(HTTP status 401 without a token\)\. Check/,
    );
  });

  it('refuse invalid endpoints and tokens without repeating secrets', () => {
    const refuses = (attempt: () => unknown, pattern: RegExp): void => {
      assert.throws(attempt, (error: Error) => {
        assert.match(error.message, pattern);
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      });
    };
    refuses(() => new Hub({ token: 's3cret\nvalue', env: emptyEnv }), /a Hugging Face token/);
    refuses(() => new Hub({ endpoint: 'https://me:s3cret@host', env: emptyEnv }), /an endpoint.*host/);
    refuses(
      () => new Hub({ endpoint: 'https://me:s3cret@host:port', env: emptyEnv }),
      /got "\*{3}@host:port"/,
    );
    refuses(() => new Hub({ endpoint: 'ftp://host', env: emptyEnv }), /an endpoint/);
    refuses(() => new Hub({ endpoint: 'host', env: emptyEnv }), /"host"/);
  });
});
