// Folders that live as long as the test process.
// They lie under one root, which is removed when the process ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let root: string | undefined;

/** Creates an empty folder. */
export function temporaryFolder(): string {
  if (root === undefined) {
    const path = (root = mkdtempSync(join(tmpdir(), 'flashline-models-')));
    process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  }
  return mkdtempSync(join(root, 'folder-'));
}
