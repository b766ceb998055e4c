// scripts/offline.mjs: what a program tries to send elsewhere is told, and is a failure.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

const PROGRAM = `
  const { createServer, get } = require('node:http');
  const elsewhere = process.argv[1] === 'elsewhere';
  const server = createServer((_, answer) => answer.end('here')).listen(0, '127.0.0.1', () => {
    get('http://127.0.0.1:' + server.address().port, (answer) => {
      answer.resume();
      server.close();
    });
    if (elsewhere) for (const host of ['192.0.2.7', 'hub.example', '[2001:db8::1]'])
      get('http://' + host + ':81/a').on('error', () => {});
  });
`;

function offline(...args: readonly string[]) {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['scripts/offline.mjs', process.execPath, '-e', PROGRAM, ...args],
    { encoding: 'utf8', timeout: 120_000 },
  );
  return { status, lines: stdout.trim().split('\n') };
}

describe('scripts/offline.mjs', function () {
  this.timeout(300_000);
  before(function () {
    const trial = spawnSync('unshare', [
      '--user',
      '--map-root-user',
      '--net',
      'ip',
      'link',
      'set',
      'lo',
      'up',
    ]);
    // Some containers allow no namespaces.
    if (trial.status !== 0) this.skip();
  });

  it('is content with what stays on the machine', () => {
    const { status, lines } = offline();
    assert.deepEqual([status, lines], [0, ['0 places outside of this machine were tried.']]);
  });

  it('tells where a program has tried to send something', () => {
    const { status, lines } = offline('elsewhere');
    assert.equal(status, 1);
    assert.ok(lines.includes('left this machine: tcp to 192.0.2.7, port 81'), lines.join('\n'));
    assert.ok(lines.includes('left this machine: tcp to 2001:db8::1, port 81'), lines.join('\n'));
  });
});
