// Tests the paths of a file: those to which its links lead, step by step, and its hard links with secret names.
import assert from 'node:assert/strict';
import { linkSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathsOfFile } from '../../server/machine/pathsOfFile';
import { temporaryFolder } from '../support/temporaryFolder';

describe('pathsOfFile', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(temporaryFolder());
  });
  const path = (...names: readonly string[]): string => join(folder, ...names);

  it('returns only the given path without links, whether the file exists or not', () => {
    writeFileSync(path('a.ts'), '');
    for (const name of ['a.ts', 'absent.ts', join('absent', 'b.ts')])
      assert.deepEqual(pathsOfFile(path(name)), [path(name)]);
    assert.deepEqual(pathsOfFile('C:\\w\\a.ts')[0], 'C:/w/a.ts');
    const long = path('x'.repeat(5000));
    assert.deepEqual(pathsOfFile(long), [long]);
  });

  it('includes each step of links to files and folders, also to missing ones', () => {
    symlinkSync('second.ts', path('first.ts'));
    symlinkSync(path('missing', '.env'), path('second.ts'));
    assert.deepEqual(pathsOfFile(path('first.ts')), [
      path('first.ts'),
      path('second.ts'),
      path('missing', '.env'),
    ]);
    mkdirSync(path('keys', 'deep'), { recursive: true });
    writeFileSync(path('keys', 'deep', 'a'), '');
    symlinkSync('keys', path('linked'));
    assert.deepEqual(pathsOfFile(path('linked', 'deep', 'a')), [
      path('linked', 'deep', 'a'),
      path('keys', 'deep', 'a'),
    ]);
  });

  it('ends where links lead in a circle', () => {
    symlinkSync('b', path('a'));
    symlinkSync('a', path('b'));
    assert.deepEqual(pathsOfFile(path('a')), [path('a'), path('b')]);
  });

  it('includes hard links in the same folder if their names are secret', () => {
    writeFileSync(path('.env'), '');
    linkSync(path('.env'), path('a.ts'));
    linkSync(path('.env'), path('b.ts'));
    writeFileSync(path('server.key'), '');
    linkSync(path('server.key'), path('c.ts'));
    assert.deepEqual(pathsOfFile(path('a.ts')), [path('a.ts'), path('.env')]);
  });

  it('includes hard links in the folder to which a link leads if their names are secret', () => {
    mkdirSync(path('keys'));
    writeFileSync(path('keys', '.env'), '');
    linkSync(path('keys', '.env'), path('keys', 'plain.txt'));
    symlinkSync(path('keys', 'plain.txt'), path('a.ts'));
    assert.deepEqual(pathsOfFile(path('a.ts')), [
      path('a.ts'),
      path('keys', 'plain.txt'),
      path('keys', '.env'),
    ]);
  });
});
