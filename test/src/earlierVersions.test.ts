// What an earlier version stored, code above all, does not stay on the disk.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExtensionContext } from 'vscode';
import { removeStored } from '../../src/extension';
import { temporaryFolder } from '../support/temporaryFolder';

describe('removeStored', () => {
  const folder = temporaryFolder();
  const errors: unknown[] = [];
  const stored: Record<string, unknown> = { 'flashline.keepHabits': {}, 'flashline.acceptance': {} };
  const globalState = {
    update: (key: string, value: unknown) => {
      if (value === undefined) Reflect.deleteProperty(stored, key);
      return Promise.resolve();
    },
  };
  const remove = (fsPath: string) => {
    const storage = { globalState, globalStorageUri: { fsPath } } as unknown as ExtensionContext;
    return removeStored(storage, { error: (message) => void errors.push(message) });
  };

  it('deletes the texts of all pairs, finished or not, and the habits, and nothing else', async () => {
    const pair = join(folder, 'texts', '0123456789abcdef0123456789abcdef');
    for (const name of ['one', 'two.123']) {
      mkdirSync(join(pair, name), { recursive: true });
      writeFileSync(join(pair, name, 'text.json'), '{}');
      writeFileSync(join(pair, name, '0.safetensors'), 'x');
    }
    writeFileSync(join(folder, 'other.json'), '{}');
    await remove(folder);
    assert.deepEqual(readdirSync(folder), ['other.json']);
    assert.deepEqual(Object.keys(stored), ['flashline.acceptance']);
  });

  it('finds nothing the second time, nor in a folder that is not there', async () => {
    await remove(folder);
    await remove(join(folder, 'missing'));
    assert.deepEqual(errors, []);
  });
});
