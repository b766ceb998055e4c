// Runs the shell blocks of the pages as a user copies them: each block succeeds, or its page says why a test cannot run
// it. Outside the nightly tests, only blocks of changed pages run, if Git knows which these are.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fullSize } from '../support/fullSize';
import { pages } from './pages';

/** Paths of the changed files; set by the test runner if it runs all parts by day and Git knows these files. */
const CHANGED = process.env['FLASHLINE_CHANGED_FILES']?.split('\n');
const SHELLS = ['sh', 'bash', 'shell', 'console'];

describe('the shell blocks of the pages', () => {
  const blocks = pages().flatMap(({ path, fences }) =>
    fences.filter(({ language }) => SHELLS.includes(language)).map((fence) => ({ path, ...fence })),
  );
  const runnable = blocks.filter(({ notRun }) => notRun === undefined);

  it('have the language sh, and include at least three that a test can run', () => {
    assert.ok(runnable.length >= 3, String(runnable.length));
    assert.ok(blocks.every(({ language }) => language === 'sh'));
  });

  const chosen = runnable.filter(({ path }) => fullSize || (CHANGED?.includes(path) ?? true));
  for (const { path, text } of chosen)
    it(`succeed in ${path}: ${text.split('\n')[0] ?? ''}`, async () => {
      const PATH = `${join(process.cwd(), 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`;
      await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', text], { env: { ...process.env, PATH } });
    });

  it('have a reason in the page if a test cannot run them', () => {
    for (const { path, notRun } of blocks)
      if (notRun !== undefined) assert.ok(notRun.length >= 10, `${path}: ${notRun}`);
  });
});
