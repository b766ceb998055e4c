// Windows meet under one name if, and only if, one server can do for all of them.
import assert from 'node:assert/strict';
import { boundSocket, ID_LENGTH, socketName, type ServerIdentity } from '../../server/socket/socketName';

const IDENTITY: ServerIdentity = {
  version: '1.2.3',
  bundle: '/extension/dist/server.js',
  writtenAt: 1_700_000_000_000,
  size: 1_000_000,
  node: '/usr/bin/node',
  environment: { HF_HOME: '/models', HTTPS_PROXY: 'http://proxy:3128', TERM: 'xterm' },
};
const name = (change: Partial<ServerIdentity> = {}): string => socketName('/run', { ...IDENTITY, ...change });
const read = (environment: Record<string, string>): string =>
  name({ environment: { ...IDENTITY.environment, ...environment } });

describe('the name of a socket', () => {
  it('is the same for windows that differ in what no server reads', () => {
    assert.equal(name(), name());
    assert.equal(read({ TERM: 'dumb', VSCODE_PID: '7' }), name());
  });

  it('is another for each version, program, and part of the environment that a server reads', () => {
    const names = [
      name(),
      name({ version: '1.2.4' }),
      name({ bundle: '/other/dist/server.js' }),
      name({ writtenAt: IDENTITY.writtenAt + 1 }),
      name({ size: IDENTITY.size + 1 }),
      name({ node: '/usr/bin/node22' }),
      name({ environment: {} }),
      read({ HF_HOME: '' }),
      read({ HF_HUB_CACHE: '/models' }),
      read({ HF_ENDPOINT: 'http://mirror' }),
      read({ HF_TOKEN: 'hf_1' }),
      read({ http_proxy: 'http://proxy:3128' }),
      read({ NO_PROXY: '*' }),
      read({ FLASHLINE_CACHE: '/cache' }),
      read({ XDG_CACHE_HOME: '/cache' }),
    ];
    assert.equal(new Set(names).size, names.length);
  });

  it('tells nothing of what it is made of', () => {
    assert.match(read({ HF_TOKEN: 'hf_secret' }), /^\/run\/[0-9a-f]{12}$/);
  });

  it('is refused where the path of a socket would be longer than macOS allows', () => {
    const id = '0'.repeat(ID_LENGTH);
    const length = Buffer.byteLength(boundSocket(name(), id)) - '/run'.length;
    const longest = '/'.padEnd(103 - length, 'f');
    assert.equal(Buffer.byteLength(boundSocket(socketName(longest, IDENTITY), id)), 103);
    assert.throws(() => socketName(`${longest}f`, IDENTITY), /Expected at most 103 bytes .* got 104/);
    const wide = `${longest.slice(0, -1)}é`;
    assert.throws(() => socketName(wide, IDENTITY), /got 104/, 'bytes count, not characters');
  });
});
