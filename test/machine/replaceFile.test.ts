// Tests that a file is replaced as a whole, and which temporary files are removed.
import assert from 'node:assert/strict';
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../server/machine/replaceFile';
import { temporaryFolder } from '../support/temporaryFolder';

/** An id that no process has. */
const DEAD = 2 ** 30;

describe('replaceFile', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder, 'a.json');
  });

  it('writes the new text, and removes temporary files of ended processes', () => {
    replaceFile(file, 'old');
    for (const name of [`a.json.${DEAD}`, `a.json.${process.ppid}`, `b.json.${DEAD}`, 'a.json.backup'])
      writeFileSync(join(folder, name), 'ha');
    replaceFile(file, 'new');
    assert.equal(readFileSync(file, 'utf8'), 'new');
    assert.deepEqual(readdirSync(folder).sort(), [
      'a.json',
      `a.json.${process.ppid}`,
      'a.json.backup',
      `b.json.${DEAD}`,
    ]);
  });

  it('puts a new file in place of the old one, whose text stays as it was', () => {
    replaceFile(file, 'old');
    const link = join(temporaryFolder(), 'link');
    linkSync(file, link);
    replaceFile(file, 'new');
    assert.equal(readFileSync(link, 'utf8'), 'old');
  });

  it('leaves no temporary file when the file cannot be replaced', () => {
    mkdirSync(join(file, 'in the way'), { recursive: true });
    assert.throws(() => replaceFile(file, 'new'));
    assert.deepEqual(readdirSync(folder), ['a.json']);
  });
});
