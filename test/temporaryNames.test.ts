// Tests that names in the shared temporary folder are unpredictable: otherwise another user could put a link there.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Creates an unpredictable name, or refuses a folder of another user. */
const SAFE = /\b(mkdtempSync|mkdtemp|socketFolder)\(/;

function uses(source: string): string[] {
  return source.split('\n').filter((line) => /\btmpdir\(\)|['"`]\/tmp\b/.test(line));
}

describe('the folder for temporary files', () => {
  for (const part of ['server', 'src'])
    it(`has no predictable name in it: ${part}/`, () => {
      const files = readdirSync(part, { recursive: true, encoding: 'utf8' }).filter((file) =>
        file.endsWith('.ts'),
      );
      const lines = files.flatMap((file) => uses(readFileSync(join(part, file), 'utf8')));
      assert.ok(lines.length > 0);
      for (const line of lines) assert.match(line, SAFE);
    });
});
