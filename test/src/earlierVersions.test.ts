// What an earlier version stored, code above all, does not stay on the disk.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExtensionContext } from 'vscode';
import { removeStored } from '../../src/extension';
import { temporaryFolder } from '../support/temporaryFolder';

describe('removeStored', () => {
  it('deletes the texts of all pairs, finished or not, and the habits, and nothing else, if there are any', async () => {
    const folder = temporaryFolder();
    const stored = new Map<string, unknown>([
      ['flashline.keepHabits', {}],
      ['flashline.acceptance', {}],
    ]);
    const update = (key: string, value: unknown) =>
      Promise.resolve(value === undefined && stored.delete(key));
    const pair = join(folder, 'texts', '0123456789abcdef0123456789abcdef');
    for (const name of ['one', 'two.123']) {
      mkdirSync(join(pair, name), { recursive: true });
      writeFileSync(join(pair, name, '0.safetensors'), 'x');
    }
    writeFileSync(join(folder, 'other.json'), '{}');
    for (const fsPath of [folder, folder, join(folder, 'missing')]) {
      const storage = {
        globalState: { update },
        globalStorageUri: { fsPath },
      } as unknown as ExtensionContext;
      await removeStored(storage, { error: (message) => assert.fail(message) });
    }
    assert.deepEqual(readdirSync(folder), ['other.json']);
    assert.deepEqual([...stored.keys()], ['flashline.acceptance']);
  });
});
