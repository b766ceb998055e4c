// Tests which texts name a server or a program of llama.cpp, where the API of a server is, and whether its address
// is safe from eavesdroppers.
import assert from 'node:assert/strict';
import { isPotentiallyTrustworthy, isProgram, remoteAddress } from '../../server/rules/remoteAddress';

describe('the address of a remote engine', () => {
  it('is that of its API, with or without /v1 and slashes at the end', () => {
    for (const [text, api] of [
      ['http://gpu.example:8000', 'http://gpu.example:8000/v1'],
      ['http://gpu.example:8000//', 'http://gpu.example:8000/v1'],
      ['https://gpu.example/v1/', 'https://gpu.example/v1'],
      ['https://gpu.example/a/b', 'https://gpu.example/a/b/v1'],
    ] as const) {
      const { origin, host, ...address } = remoteAddress(text) ?? assert.fail(text);
      assert.equal(address.api, api);
      assert.ok(origin.endsWith(`//${host}`) && api.startsWith(`${origin}/`));
    }
  });

  it('is plain: http or https, without login, query and fragment', () => {
    for (const text of [
      'ftp://a',
      'a:80',
      '',
      'https://me@a',
      'https://:pw@a',
      'https://a/?b=c',
      'https://a/#b',
    ])
      assert.equal(remoteAddress(text), undefined, text);
  });

  it('is safe from eavesdroppers when it is encrypted or on this machine', () => {
    for (const [text, isEncrypted, isLoopback] of [
      ['https://gpu.example', true, false],
      ['http://gpu.example', false, false],
      ['http://localhost:1', false, true],
      ['http://127.1.2.3:1', false, true],
      ['http://[::1]:1', false, true],
      ['http://127.0.0.1.example', false, false],
      ['http://10.0.0.1', false, false],
    ] as const) {
      const address = remoteAddress(text);
      assert.deepEqual([address?.isEncrypted, address?.isLoopback], [isEncrypted, isLoopback], text);
      assert.equal(isPotentiallyTrustworthy(new URL(text)), isEncrypted || isLoopback, text);
    }
  });

  it('can be a program instead: llama-server by its name or full path', () => {
    for (const text of [
      'llama-server',
      'llama-server-b4321',
      '/llama-server',
      '/opt/llama.cpp/llama-server.sh',
      '~/llama-server',
      '~/bin/llama-server',
    ])
      assert.ok(isProgram(text), text);
    for (const text of [
      '',
      'bin/llama-server',
      './llama-server',
      '~other/llama-server',
      'http://llama-server',
      '/opt/llama-server/x',
    ])
      assert.ok(!isProgram(text), text);
    assert.ok(!isProgram(undefined));
  });
});
