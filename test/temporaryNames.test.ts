// Tests that names in the shared temporary folder are unpredictable, or lie in a folder whose owner is checked:
// otherwise another user could put a link there.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Calls that create an unpredictable name or refuse a folder of another user. */
const SAFE_CALL = /\b(mkdtempSync|mkdtemp|socketFolder)\(/;

/** Returns the lines that name the folder for temporary files. */
function temporaryFolderLines(source: string): string[] {
  return source.split('\n').filter((line) => /\btmpdir\(\)|['"`]\/tmp\b/.test(line));
}

describe('names in the folder for temporary files', () => {
  for (const part of ['server', 'src'])
    it(`cannot be taken by another user: ${part}/`, () => {
      const files = readdirSync(part, { recursive: true, encoding: 'utf8' }).filter((file) =>
        file.endsWith('.ts'),
      );
      const lines = files.flatMap((file) => temporaryFolderLines(readFileSync(join(part, file), 'utf8')));
      assert.ok(lines.length > 0, `${part}/ does not use the folder for temporary files`);
      for (const line of lines) assert.match(line, SAFE_CALL);
    });
});
