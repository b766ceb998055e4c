// Tests .gitignore and .flashlineignore in folders on disk. They apply as in Git, but re-include no ignored folder.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { IgnoreFiles, type IgnoreFileName } from '../../../src/gate/ignoreFiles';
import { temporaryFolder } from '../../support/temporaryFolder';

function folderWith(files: Readonly<Record<string, string>>): string {
  const top = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, name)), { recursive: true });
    writeFileSync(join(top, name), text);
  }
  return top;
}

describe('IgnoreFiles', () => {
  it('applies the files from the root of the workspace down to the folder of a file', () => {
    const top = folderWith({
      '.gitignore': '/dist\n*.log\n!keep.log\n',
      'packages/one/.gitignore': 'private/\n!wanted.log\n',
    });
    const files = new IgnoreFiles();
    const ignored = (path: string): boolean => files.ignores('.gitignore', join(top, path), top);
    for (const path of ['dist/a.js', 'b.log', 'src/c.log', 'packages/one/private/d.ts'])
      assert.ok(ignored(path), path);
    for (const path of ['src/dist/a.js', 'keep.log', 'packages/one/wanted.log', 'packages/two/private/d.ts'])
      assert.ok(!ignored(path), path);
  });

  it('re-includes nothing in an ignored folder', () => {
    const top = folderWith({
      '.flashlineignore': 'private/\nbuild/\n',
      'private/.flashlineignore': '!a.ts\n',
      'private/deep/.flashlineignore': '!a.ts\n',
      'sub/.flashlineignore': '!build/\n',
    });
    const files = new IgnoreFiles();
    for (const path of ['private/a.ts', 'private/deep/a.ts', 'sub/build/a.ts'])
      assert.ok(files.ignores('.flashlineignore', join(top, path), top), path);
    assert.ok(!files.ignores('.flashlineignore', join(top, 'sub/a.ts'), top));
  });

  it('distinguishes .flashlineignore and .gitignore, and ignores nothing outside the workspace', () => {
    const top = folderWith({ '.flashlineignore': '*\n' });
    const files = new IgnoreFiles();
    assert.ok(files.ignores('.flashlineignore', join(top, 'a.ts'), top));
    assert.ok(!files.ignores('.gitignore', join(top, 'a.ts'), top));
    assert.ok(!files.ignores('.flashlineignore', join(dirname(top), 'a.ts'), top));
    assert.ok(!files.ignores('.flashlineignore', top, top));
  });

  it('reads each file once, and again after a change is reported', () => {
    const top = folderWith({ '.flashlineignore': 'a.ts\n' });
    const files = new IgnoreFiles();
    const ignored = (): boolean => files.ignores('.flashlineignore', join(top, 'a.ts'), top);
    assert.ok(ignored());
    const isIgnoredByGit = (): boolean => files.ignores('.gitignore', join(top, 'a.ts'), top);
    assert.ok(!isIgnoredByGit());
    writeFileSync(join(top, '.flashlineignore'), 'b.ts\n');
    writeFileSync(join(top, '.gitignore'), 'a.ts\n');
    assert.ok(ignored() && !isIgnoredByGit());
    files.forget();
    assert.ok(!ignored() && isIgnoredByGit());
  });

  it('applies patterns with three stars as they are, and cuts those with more after the third star', () => {
    const top = folderWith({ '.gitignore': '*a*b*c\n', '.flashlineignore': '*a*b*c*d\n' });
    const files = new IgnoreFiles();
    for (const [name, path, isIgnored] of [
      ['.gitignore', '1a2b3c', true],
      ['.gitignore', '1a2b', false],
      ['.gitignore', '1a2b3c4', false],
      ['.flashlineignore', '1a2b3', true],
      ['.flashlineignore', '1a2', false],
    ] as const)
      assert.equal(files.ignores(name, join(top, path), top), isIgnored, `${name}: ${path}`);
  });

  it('reads no ignore file of more than a million bytes', () => {
    const pattern = 'a.ts\n';
    const top = folderWith({
      '.gitignore': pattern.padEnd(1_000_000, '\n'),
      '.flashlineignore': pattern.padEnd(1_000_001, '\n'),
    });
    const files = new IgnoreFiles();
    assert.ok(files.ignores('.gitignore', join(top, 'a.ts'), top));
    assert.ok(!files.ignores('.flashlineignore', join(top, 'a.ts'), top));
  });

  it('does not block on a pipe, a device or a slow pattern', function () {
    if (process.platform === 'win32') this.skip();
    const top = folderWith({
      'pipe/a.ts': '',
      '.gitignore': `*.log\r\n!${'*a'.repeat(40)}.log\r\n`,
      '.flashlineignore': `${'**/a/'.repeat(40)}b\nsrc/*\n`,
    });
    assert.equal(spawnSync('mkfifo', [join(top, 'pipe/.gitignore')]).status, 0);
    symlinkSync('/dev/zero', join(top, 'pipe/.flashlineignore'));
    const files = new IgnoreFiles();
    const ignored = (name: IgnoreFileName, path: string): boolean =>
      files.ignores(name, join(top, path), top);
    assert.ok(!ignored('.gitignore', 'pipe/a.ts'));
    assert.ok(!ignored('.flashlineignore', 'pipe/a.ts'));
    // A pattern that would take years is shortened, so that it ignores more; a negated one is dropped.
    assert.ok(ignored('.flashlineignore', `${'a/'.repeat(200)}c.ts`));
    assert.ok(ignored('.flashlineignore', 'src/a.ts'));
    assert.ok(ignored('.gitignore', `${'a'.repeat(200)}.log`));
  });
});
