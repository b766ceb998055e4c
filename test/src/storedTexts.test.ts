// Code that an earlier version stored does not stay on the disk.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeStoredTexts } from '../../src/storedTexts';
import { temporaryFolder } from '../support/temporaryFolder';

describe('removeStoredTexts', () => {
  const folder = temporaryFolder();
  const errors: unknown[] = [];
  const remove = (from: string) => removeStoredTexts(from, { error: (message) => void errors.push(message) });

  it('deletes the texts of all pairs, finished or not, and nothing else', async () => {
    const pair = join(folder, 'texts', '0123456789abcdef0123456789abcdef');
    for (const name of ['one', 'two.123']) {
      mkdirSync(join(pair, name), { recursive: true });
      writeFileSync(join(pair, name, 'text.json'), '{}');
      writeFileSync(join(pair, name, '0.safetensors'), 'x');
    }
    writeFileSync(join(folder, 'other.json'), '{}');
    await remove(folder);
    assert.deepEqual(readdirSync(folder), ['other.json']);
  });

  it('finds nothing the second time, nor in a folder that is not there', async () => {
    await remove(folder);
    await remove(join(folder, 'missing'));
    assert.deepEqual(errors, []);
  });
});
