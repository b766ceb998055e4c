// The folder of the sockets is the user's alone, or there is none.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requirePrivateFolder, socketFolder } from '../../server/socket/socketFolder';
import { temporaryFolder } from '../support/temporaryFolder';

const userId = process.getuid?.() ?? -1;

describe('the folder of the sockets', () => {
  let temporary: string;
  const folderWith = (environment: Record<string, string> = {}): string =>
    socketFolder({ environment, temporaryFolder: temporary, userId });
  beforeEach(() => {
    temporary = temporaryFolder();
  });

  it('is made for its owner alone, whatever files are made with otherwise', () => {
    const before = process.umask(0);
    try {
      const folder = folderWith();
      assert.equal(folder, join(temporary, `flashline-${userId}`));
      assert.equal(statSync(folder).mode & 0o777, 0o700);
      assert.equal(folderWith(), folder, 'and found again');
    } finally {
      process.umask(before);
    }
  });

  it('lies in the runtime folder of the login, if that belongs to the user', () => {
    const runtime = temporaryFolder();
    assert.equal(folderWith({ XDG_RUNTIME_DIR: runtime }), join(runtime, 'flashline'));
    const own = join(temporary, `flashline-${userId}`);
    for (const wrong of ['', 'relative', join(temporary, 'gone')])
      assert.equal(folderWith({ XDG_RUNTIME_DIR: wrong }), own, wrong);
    const foreign = foreignFolder();
    assert.equal(folderWith({ XDG_RUNTIME_DIR: foreign }), own);
  });

  it('is refused when it is open to others, and left as it is', () => {
    const folder = folderWith();
    for (const mode of [0o750, 0o701, 0o777]) {
      chmodSync(folder, mode);
      assert.throws(() => folderWith(), /^Error: Expected a folder of this user alone .* others may enter/);
      assert.equal(statSync(folder).mode & 0o777, mode);
    }
  });

  it('is refused when it belongs to somebody else', () => {
    const folder = foreignFolder();
    assert.throws(() => {
      requirePrivateFolder(folder, userId);
    }, /got one of another user/);
  });

  it('is refused when it is a link, a file or not there', () => {
    const own = join(temporary, `flashline-${userId}`);
    symlinkSync(temporaryFolder(), own);
    assert.throws(() => folderWith(), /got something else/);
    writeFileSync(join(temporary, 'file'), '');
    for (const [file, got] of [
      ['file', 'something else'],
      ['gone', 'none'],
    ] as const)
      assert.throws(
        () => {
          requirePrivateFolder(join(temporary, file), userId);
        },
        new RegExp(`got ${got}`),
      );
  });

  it('does not exist where files have no owners', () => {
    assert.throws(
      () => socketFolder({ environment: {}, temporaryFolder: temporary, userId: undefined }),
      /only their owner can use/,
    );
  });
});

/** One that root has made, or that root gives away. */
function foreignFolder(): string {
  if (userId !== 0) return '/';
  const folder = join(temporaryFolder(), 'foreign');
  mkdirSync(folder, 0o700);
  chownSync(folder, 65_534, 65_534);
  return folder;
}
