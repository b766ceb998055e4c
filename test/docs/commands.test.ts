// Runs the shell blocks of the pages as a user copies them: each block succeeds, or its page says why a test cannot run
// it. By day only blocks of changed pages run.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fullSize } from '../support/fullSize';
import { pages } from './pages';

/** Set by the test runner, if Git knows the changed files. */
const CHANGED = process.env['FLASHLINE_CHANGED_FILES']?.split('\n');
const SHELLS = ['sh', 'bash', 'shell', 'console'];

describe('a fenced block of commands', () => {
  const blocks = pages().flatMap(({ path, fences }) =>
    fences.filter(({ language }) => SHELLS.includes(language)).map((fence) => ({ path, ...fence })),
  );
  const run = blocks.filter(({ notRun }) => notRun === undefined);

  it('finds shell blocks to run in the pages', () => {
    assert.ok(run.length >= 3, String(run.length));
    assert.ok(blocks.every(({ language }) => language === 'sh'));
  });

  for (const { path, text } of run.filter(({ path: page }) => fullSize || (CHANGED?.includes(page) ?? true)))
    it(`runs the shell block of ${path}: ${text.split('\n')[0] ?? ''}`, async () => {
      const PATH = `${join(process.cwd(), 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`;
      await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', text], { env: { ...process.env, PATH } });
    });

  it('has a reason for each shell block that is not run', () => {
    for (const { path, notRun } of blocks)
      if (notRun !== undefined) assert.ok(notRun.length >= 10, `${path}: ${notRun}`);
  });
});
