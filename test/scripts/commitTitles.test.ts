// Tests scripts/hooks/commit-msg and scripts/commitTitles.mjs with commits in a temporary repository.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporaryFolder';

/** Fixed author, so that the tests do not depend on the user's Git configuration. */
const AUTHOR = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@localhost',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@localhost',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
};

describe('titles of commits', () => {
  const folder = temporaryFolder();
  const run = (program: string, words: readonly string[]) =>
    spawnSync(program, words, { cwd: folder, encoding: 'utf8', env: { ...process.env, ...AUTHOR } });
  const commit = (message: string, ...more: readonly string[]) =>
    run('git', ['commit', '--quiet', '--allow-empty', '--message', message, ...more]);

  before(() => {
    for (const name of ['scripts/hooks', 'scripts/commitTitles.mjs'])
      cpSync(name, join(folder, name), { recursive: true });
    for (const words of [
      ['init', '--quiet'],
      ['config', 'core.hooksPath', 'scripts/hooks'],
    ])
      assert.equal(run('git', words).status, 0);
  });

  const refused = [
    ['is too long', `Add ${'x'.repeat(69)}`, /73 characters; shorten it to 72/],
    ['ends with a period', 'Add a cache.', /punctuation mark/],
    ['has a prefix', 'feat(cache)!: add one', /prefix/],
    ['begins in lower case', 'add a cache', /capital letter/],
    ['calls itself unfinished', 'WIP cache', /unfinished/],
    ['is followed by text without an empty line', 'Add a cache\nIt is fast.', /no empty line/],
  ] as const;
  for (const [name, message, problem] of refused)
    it(`commit-msg refuses a title that ${name}`, () => {
      const { status, stderr } = commit(message);
      assert.equal(status, 1);
      assert.match(stderr, problem);
    });

  it('commit-msg accepts good titles, long ones in two-byte letters, and titles that Git writes', () => {
    const messages = [`Add ${'ö'.repeat(68)}`, 'Add a cache\n\nIt is fast.', 'fixup! add'];
    for (const message of [...messages, `Revert "${'x'.repeat(72)}"`]) {
      const { status, stderr } = commit(message);
      assert.equal(status, 0, stderr);
    }
  });

  it('commitTitles.mjs reports the wrong titles of a range, but none of older commits or merges', () => {
    commit('older and wrong.', '--no-verify');
    run('git', ['branch', 'base']);
    run('git', ['switch', '--quiet', '--create', 'side']);
    commit('Add a page');
    run('git', ['switch', '--quiet', '-']);
    commit('new and wrong.', '--no-verify');
    assert.equal(run('git', ['merge', '--quiet', '--no-edit', 'side']).status, 0);
    const { status, stderr } = run(process.execPath, ['scripts/commitTitles.mjs', 'base..HEAD']);
    assert.equal(status, 1);
    assert.equal(stderr.match(/new and wrong/g)?.length, 2, stderr);
    assert.doesNotMatch(stderr, /older|Merge|page/);
    assert.equal(run(process.execPath, ['scripts/commitTitles.mjs', 'HEAD..HEAD']).status, 0);
  });

  it('commitTitles.mjs fails for a range that Git does not know', () => {
    const { status, stderr } = run(process.execPath, ['scripts/commitTitles.mjs', 'nothing..HEAD']);
    assert.equal(status, 2);
    assert.match(stderr, /git log failed/);
  });
});
