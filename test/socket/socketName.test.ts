// Tests the name of the socket: windows get the same name if, and only if, one server can serve them all. Its folder
// belongs to the user alone.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  boundSocket,
  ID_LENGTH,
  requirePrivateFolder,
  socketFolder,
  socketName,
  type ServerIdentity,
} from '../../server/socket/socketName';
import { temporaryFolder } from '../support/temporaryFolder';

const IDENTITY: ServerIdentity = {
  version: '1.2.3',
  bundle: '/extension/dist/server.js',
  writtenAt: 1_700_000_000_000,
  size: 1_000_000,
  node: '/usr/bin/node',
  environment: { HF_HOME: '/models', HTTPS_PROXY: 'http://proxy:3128', TERM: 'xterm' },
};
/** Variables that the server or its downloads read. */
const VARIABLES = [
  'FLASHLINE_CACHE',
  'HOME',
  'XDG_CACHE_HOME',
  'HF_HOME',
  'HF_HUB_CACHE',
  'HUGGINGFACE_HUB_CACHE',
  'HF_ENDPOINT',
  'HF_TOKEN',
  'HF_TOKEN_PATH',
  'HUGGING_FACE_HUB_TOKEN',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'https_proxy',
  'http_proxy',
  'all_proxy',
  'no_proxy',
];
const name = (change: Partial<ServerIdentity> = {}): string => socketName('/run', { ...IDENTITY, ...change });
/** Returns the name for windows with more environment variables. */
const nameWith = (environment: Record<string, string>): string =>
  name({ environment: { ...IDENTITY.environment, ...environment } });

describe('the name of the socket', () => {
  it('is the same for windows that differ only in variables that no server reads', () => {
    assert.equal(name(), name());
    assert.equal(nameWith({ TERM: 'dumb', VSCODE_PID: '7' }), name());
  });

  it('differs by version, program, and the environment that a server reads', () => {
    const names = [
      name(),
      name({ version: '1.2.4' }),
      name({ bundle: '/other/dist/server.js' }),
      name({ writtenAt: IDENTITY.writtenAt + 1 }),
      name({ size: IDENTITY.size + 1 }),
      name({ node: '/usr/bin/node22' }),
      name({ environment: {} }),
      nameWith({ HF_HOME: '' }),
      ...VARIABLES.flatMap((variable) => [nameWith({ [variable]: '/a' }), nameWith({ [variable]: '/b' })]),
    ];
    assert.equal(new Set(names).size, names.length);
  });

  it('reveals nothing of the environment', () => {
    assert.match(nameWith({ HF_TOKEN: 'hf_secret' }), /^\/run\/[0-9a-f]{12}$/);
  });

  it('is refused when its path would be longer than macOS allows', () => {
    const id = '0'.repeat(ID_LENGTH);
    const length = Buffer.byteLength(boundSocket(name(), id)) - '/run'.length;
    const longest = '/'.padEnd(103 - length, 'f');
    assert.equal(Buffer.byteLength(boundSocket(socketName(longest, IDENTITY), id)), 103);
    assert.throws(
      () => socketName(`${longest}f`, IDENTITY),
      /Expected at most 103 bytes .* got 104 \(.*\); set XDG_RUNTIME_DIR to a folder of this user with a shorter path$/,
    );
    const wide = `${longest.slice(0, -1)}é`;
    assert.throws(() => socketName(wide, IDENTITY), /got 104/, 'bytes count, not characters');
  });
});

const userId = process.getuid?.() ?? -1;

describe('the folder of the sockets', () => {
  let temporary: string;
  const folderWith = (environment: Record<string, string> = {}): string =>
    socketFolder({ environment, temporaryFolder: temporary, userId });
  beforeEach(() => {
    temporary = temporaryFolder();
  });

  it('is created for its owner alone, whatever the umask is', () => {
    const before = process.umask(0);
    try {
      const folder = folderWith();
      assert.equal(folder, join(temporary, `flashline-${userId}`));
      assert.equal(statSync(folder).mode & 0o777, 0o700);
      assert.equal(folderWith(), folder, 'the folder is found again');
    } finally {
      process.umask(before);
    }
  });

  it('is in the runtime folder of the login, if that belongs to the user', () => {
    const runtime = temporaryFolder();
    assert.equal(folderWith({ XDG_RUNTIME_DIR: runtime }), join(runtime, 'flashline'));
    const fallback = join(temporary, `flashline-${userId}`);
    for (const wrong of ['', 'relative', join(temporary, 'gone')])
      assert.equal(folderWith({ XDG_RUNTIME_DIR: wrong }), fallback, wrong);
    const foreign = foreignFolder();
    assert.equal(folderWith({ XDG_RUNTIME_DIR: foreign }), fallback);
  });

  for (const [what, modes, got] of [
    ['it is open to others', [0o750, 0o701, 0o777], 'is open to other users'],
    ['its owner lacks rights there', [0o500, 0o300, 0o000], 'cannot be used by its owner\\. Remove it'],
  ] as const)
    it(`is refused when ${what}, and left as it is`, () => {
      const folder = folderWith();
      for (const mode of modes) {
        chmodSync(folder, mode);
        const refusal = new RegExp(`^UserError: .* must be a folder of this user alone, but it ${got}`);
        assert.throws(() => folderWith(), refusal);
        assert.equal(statSync(folder).mode & 0o777, mode);
      }
    });

  it('is refused with a plain message when it cannot be created', () => {
    temporary = join(temporary, 'gone');
    assert.throws(() => folderWith(), {
      message:
        `Could not make the folder ${join(temporary, `flashline-${userId}`)} for sockets (ENOENT). ` +
        'Set XDG_RUNTIME_DIR to a folder of this user.',
    });
  });

  it('is refused when it belongs to another user', () => {
    const folder = foreignFolder();
    assert.throws(() => {
      requirePrivateFolder(folder, userId);
    }, /belongs to another user\. Set XDG_RUNTIME_DIR to a folder of this user\.$/);
  });

  it('is refused when it is a link, a file or missing', () => {
    symlinkSync(temporaryFolder(), join(temporary, `flashline-${userId}`));
    assert.throws(() => folderWith(), /is not a folder/);
    writeFileSync(join(temporary, 'file'), '');
    for (const [file, got] of [
      ['file', 'but it is not a folder\\. Remove it'],
      ['gone', 'does not exist\\. Restart'],
    ] as const)
      assert.throws(() => {
        requirePrivateFolder(join(temporary, file), userId);
      }, new RegExp(got));
  });

  it('is not used where files have no owners', () => {
    assert.throws(
      () => socketFolder({ environment: {}, temporaryFolder: temporary, userId: undefined }),
      /no sockets that are private/,
    );
  });
});

/** Returns a folder of another user: one of root, or one that root has given to another user. */
function foreignFolder(): string {
  if (userId !== 0) return '/';
  const folder = join(temporaryFolder(), 'foreign');
  mkdirSync(folder, 0o700);
  chownSync(folder, 65_534, 65_534);
  return folder;
}
