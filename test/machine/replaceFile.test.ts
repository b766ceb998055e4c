// Files that are replaced as a whole.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../server/machine/replaceFile';
import { temporaryFolder } from '../support/temporaryFolder';

/** No process has such an id. */
const DEAD = 2 ** 30;

describe('a file that is replaced', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder, 'a.json');
  });

  it('has its new text, and nothing is left of processes that ended before they had written it', () => {
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

  it('leaves nothing when it cannot be replaced', () => {
    mkdirSync(join(file, 'in the way'), { recursive: true });
    assert.throws(() => replaceFile(file, 'new'));
    assert.deepEqual(readdirSync(folder), ['a.json']);
  });
});
