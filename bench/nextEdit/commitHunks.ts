// Reads the changes of commits from git directories, which need no work tree.
import { spawnSync } from 'node:child_process';
import { WrongValue } from '../../server/rules/userError';
import type { LineChange } from '../../server/rules/lineDiff';

/** Changes of one file in one commit. */
export interface FileChange {
  readonly repository: string;
  readonly commit: string;
  readonly path: string;
  /** Hunks from top to bottom, with line numbers in the text before the commit. */
  readonly hunks: readonly LineChange[];
}

const CODE_EXTENSIONS = [
  'ts',
  'tsx',
  'js',
  'jsx',
  'mjs',
  'py',
  'rs',
  'go',
  'java',
  'rb',
  'c',
  'cc',
  'cpp',
  'h',
  'cs',
  'php',
];
/** Largest output of git to read, in bytes. */
const MAX_OUTPUT = 2 ** 29;
/** Maximum number of files of a commit; larger ones move or format code. */
const MAX_FILES = 15;
const HEADER = /^@@ -(\d+)(?:,(\d+))? \+/;

/**
 * Returns the modified code files of the newest `count` commits that touch code, without merges and commits that modify
 * more than `MAX_FILES`. Throws UserError if git fails.
 */
export function commitChanges(repository: string, count: number): readonly FileChange[] {
  const globs = CODE_EXTENSIONS.map((extension) => `*.${extension}`);
  const log = [
    'log',
    '--no-merges',
    '-n',
    String(count),
    '--format=%x00%H',
    '--diff-filter=M',
    '--no-renames',
  ];
  // Fix the form of the diff, as the user's configuration can change it.
  const form = ['-p', '-U0', '--no-color', '--no-ext-diff', '--no-textconv', '--dst-prefix=b/'];
  const text = git(repository, [...log, ...form, '--', ...globs]);
  return text.split('\0').flatMap((commit) => {
    const files = filesOf(repository, commit);
    return files.length > MAX_FILES ? [] : files;
  });
}

/**
 * Returns the lines of a file before a commit; undefined for binary data or carriage returns. Throws UserError if git
 * fails.
 */
export function linesBefore({ repository, commit, path }: FileChange): readonly string[] | undefined {
  const text = git(repository, ['show', `${commit}^:${path}`]);
  return text.includes('\0') || text.includes('\r') ? undefined : text.split('\n');
}

function filesOf(repository: string, text: string): FileChange[] {
  const [commit = '', ...files] = text.split(/\n(?=diff --git )/);
  return files.flatMap((file) => {
    // Git puts a tab after a name with spaces. It quotes names with quotation marks or control characters, and those
    // files are skipped.
    const [path] = /(?<=^\+\+\+ b\/)[^\t\n]+/m.exec(file) ?? [];
    if (path === undefined) return [];
    const hunks = file
      .split(/\n(?=@@ )/)
      .slice(1)
      .map(hunkOf);
    return [{ repository, commit: commit.trim(), path, hunks }];
  });
}

function hunkOf(text: string): LineChange {
  const [, start = '1', removed = '1'] = HEADER.exec(text) ?? [];
  const added = text
    .split('\n')
    .filter((line) => line.startsWith('+'))
    .map((line) => line.slice(1));
  // For a pure insertion, git gives the number of the line before it.
  return { at: Number(start) - (removed === '0' ? 0 : 1), removed: Number(removed), added };
}

function git(repository: string, args: readonly string[]): string {
  const { status, stdout, error } = spawnSync(
    'git',
    ['-C', repository, '-c', 'core.quotePath=false', ...args],
    {
      encoding: 'utf8',
      maxBuffer: MAX_OUTPUT,
    },
  );
  if (status === 0) return stdout;
  throw new WrongValue({
    expected: '--repository to be a git directory with its history',
    got: `"${repository}"`,
    remedy: 'name a clone that is not shallow',
    cause: error,
  });
}
