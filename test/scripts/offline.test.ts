// Tests scripts/offline.mjs: it reports traffic of a program to other machines as a failure.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

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
  const command = ['scripts/offline.mjs', process.execPath, ...args];
  const { status, stdout } = spawnSync(process.execPath, command, { encoding: 'utf8', timeout: 240_000 });
  return { status, lines: stdout.trim().split('\n') };
}

describe('scripts/offline.mjs', function () {
  this.timeout(300_000);
  before(function () {
    const trial = spawnSync('unshare', '--user --map-root-user --net ip link set lo up'.split(' '));
    // Some containers allow no namespaces.
    if (trial.status !== 0) this.skip();
  });

  it('passes a program whose traffic stays on the machine', () => {
    const { status, lines } = offline('-e', PROGRAM);
    assert.deepEqual([status, lines], [0, ['Destinations outside of this machine that were tried: 0.']]);
  });

  it('reports the address that a program tried to reach', () => {
    const { status, lines } = offline('-e', PROGRAM, 'elsewhere');
    assert.equal(status, 1);
    assert.ok(lines.includes('left this machine: tcp to 192.0.2.7, port 81'), lines.join('\n'));
    assert.ok(lines.includes('left this machine: tcp to 2001:db8::1, port 81'), lines.join('\n'));
  });

  it('sees a download reach the configured Hub only', () => {
    const hub = '198.51.100.7';
    const { status, lines } = offline(join(__dirname, '..', 'support', 'hub', 'downloadFromAddress.js'), hub);
    const [outcome = '', ...reports] = lines;
    assert.match(outcome, /"finished":"done"/);
    assert.equal(status, 1);
    assert.equal(reports.length, 2, reports.join('\n'));
    assert.match(reports[0] ?? '', /^left this machine: tcp to 198\.51\.100\.7, port \d+$/);
    assert.equal(reports[1], 'Destinations outside of this machine that were tried: 1.');
  });
});
