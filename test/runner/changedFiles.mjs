// Lists the files that differ from the point where this branch left main, committed or not. Outside the nightly
// run, some tests run only if their files changed.
import { spawnSync } from 'node:child_process';

const MAIN_BRANCHES = ['origin/main', 'main'];

/**
 * Returns paths of changed, added and removed files; undefined if Git does not know, as in a shallow clone. On main,
 * compares with the commit before the last one.
 */
export function changedFiles() {
  const head = git('rev-parse', 'HEAD');
  const bases = MAIN_BRANCHES.map((branch) => git('merge-base', branch, 'HEAD')).filter(
    (base) => base !== undefined,
  );
  // Use the later merge base, as the local or the remote main can be outdated.
  const latest = bases.find((candidate) => bases.every((base) => isAncestor(base, candidate)));
  const base = latest === undefined || latest !== head ? latest : git('rev-parse', 'HEAD^');
  if (base === undefined) return undefined;
  const changed = git('diff', '--name-only', '--no-renames', base);
  const added = git('ls-files', '--others', '--exclude-standard');
  if (changed === undefined || added === undefined) return undefined;
  return [...changed.split('\n'), ...added.split('\n')].filter(Boolean);
}

function isAncestor(older, newer) {
  return git('merge-base', '--is-ancestor', older, newer) !== undefined;
}

function git(...args) {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return status === 0 ? stdout.trim() : undefined;
}
