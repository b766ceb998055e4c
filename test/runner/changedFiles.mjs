// The files that differ from where this branch left main, committed or not: some tests run by day only where theirs do.
import { spawnSync } from 'node:child_process';

const MAIN = ['origin/main', 'main'];

/**
 * Paths of the files that were changed, added or removed, or undefined where Git cannot say, such as in a shallow clone
 * or a folder without its history. On main itself they are those of its last commit.
 */
export function changedFiles() {
  const head = git('rev-parse', 'HEAD');
  const bases = MAIN.map((branch) => git('merge-base', branch, 'HEAD')).filter((base) => base !== undefined);
  // The latest one: a local main can be older than the remote one, and the other way round.
  const latest = bases.find((base) => bases.every((other) => isAncestor(other, base)));
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

function git(...words) {
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return status === 0 ? stdout.trim() : undefined;
}
