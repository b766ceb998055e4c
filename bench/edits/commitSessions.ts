// The commits of a git repository as sessions of edits: what each of them changed in one file, from the top down. Lines
// that replace as many others are taken apart into words; the order within a file is that of the file.
import { execFileSync } from 'node:child_process';
import type { TextChange } from '../../server/completion/edits';
import { tokensOf } from '../../server/completion/lineChange';
import type { EditSession } from './editSession';

const SOURCES = ['*.ts', '*.tsx', '*.js', '*.jsx', '*.mjs', '*.py'];
/** A commit with more is not written by hand. */
const MOST_EDITS = 100;

/** Of the newest `count` commits without merges. */
export function commitSessions(repository: string, count: number): EditSession[] {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8', maxBuffer: 2 ** 30 });
  const log = git('log', '-n', String(count), '--no-merges', '--format=%H', '--', ...SOURCES);
  return log
    .trim()
    .split('\n')
    .flatMap((commit) => sessionsOf(commit, git));
}

function sessionsOf(commit: string, git: (...args: string[]) => string): EditSession[] {
  const patch = git(
    'show',
    '--format=',
    '-U0',
    '--no-renames',
    '--diff-filter=M',
    '--no-color',
    commit,
    '--',
    ...SOURCES,
  );
  return patch.split(/^diff --git .*$/m).flatMap((file) => {
    const path = /^--- a\/(.*)$/m.exec(file)?.[1];
    if (path === undefined) return [];
    const start = git('show', `${commit}^:${path}`);
    const edits = editsOf(start, file);
    return edits.length > MOST_EDITS
      ? []
      : [{ name: `${commit.slice(0, 10)}:${path}`, languageId: languageOf(path), start, edits }];
  });
}

function languageOf(path: string): string {
  if (path.endsWith('.py')) return 'python';
  return /\.tsx?$/.test(path) ? 'typescript' : 'javascript';
}

/** `patch` is a unified diff without context lines. */
export function editsOf(start: string, patch: string): TextChange[] {
  const lineStarts = [0];
  for (let at = start.indexOf('\n'); at >= 0; at = start.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  const edits: TextChange[] = [];
  let growth = 0;
  for (const [, first = '', lines, body = ''] of patch.matchAll(
    /^@@ -(\d+)(?:,(\d+))? \+\S+ @@.*\n((?:[-+\\].*(?:\n|$))*)/gm,
  )) {
    const removed = [...body.matchAll(/^-(.*)$/gm)].map(([, line = '']) => line);
    const inserted = [...body.matchAll(/^\+(.*)$/gm)].map(([, line = '']) => line);
    // Without lines of its own, a hunk stands behind the line that it names.
    const from = lineStarts[Number(first) - (lines === '0' ? 0 : 1)] ?? start.length;
    const changes =
      removed.length === inserted.length
        ? pairedChanges(removed, inserted, from)
        : [{ start: from, end: from + joined(removed).length, text: joined(inserted) }];
    for (const change of changes) {
      edits.push({ start: change.start + growth, end: change.end + growth, text: change.text });
      growth += change.text.length - (change.end - change.start);
    }
  }
  return edits;
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** In the text before all of them. */
function pairedChanges(removed: readonly string[], inserted: readonly string[], from: number): TextChange[] {
  let at = from;
  return removed.flatMap((line, i) => {
    const start = at;
    at += line.length + 1;
    return wordChanges(line, inserted[i] ?? '').map((change) => ({
      ...change,
      start: start + change.start,
      end: start + change.end,
    }));
  });
}

/** The same replacement at several places of a line is as many edits; anything else is one, from end to end. */
function wordChanges(before: string, after: string): TextChange[] {
  const parts = differences(before, after);
  const [first] = parts;
  const isSame = ({ start, end, text }: TextChange): boolean =>
    text === first?.text && before.slice(start, end) === before.slice(first.start, first.end);
  if (first === undefined || parts.every(isSame)) return parts;
  const tail = before.length - (parts.at(-1)?.end ?? before.length);
  return [
    { start: first.start, end: before.length - tail, text: after.slice(first.start, after.length - tail) },
  ];
}

/** The stretches of a line that differ, by the longest common sequence of its words and signs. */
function differences(before: string, after: string): TextChange[] {
  const [from, to] = [tokensOf(before), tokensOf(after)];
  const lengths = from.map(() => new Array<number>(to.length + 1).fill(0));
  lengths.push(new Array<number>(to.length + 1).fill(0));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = from.length - 1; i >= 0; i--)
    for (let j = to.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row)
        row[j] = from[i]?.text === to[j]?.text ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const changes: TextChange[] = [];
  let [start, newStart] = [0, 0];
  const add = (end: number, newEnd: number): void => {
    const [old, text] = [before.slice(start, end), after.slice(newStart, newEnd)];
    if (old === text) return;
    const lead = shared(old, text, /^\s*/);
    const trail = shared(old.slice(lead), text.slice(lead), /\s*$/);
    changes.push({ start: start + lead, end: end - trail, text: text.slice(lead, text.length - trail) });
  };
  for (let i = 0, j = 0; i < from.length && j < to.length;) {
    const [one, other] = [from[i], to[j]];
    if (one && one.text === other?.text) {
      add(one.start, other.start);
      [start, newStart] = [one.end, other.end];
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  add(before.length, after.length);
  return changes;
}

/** How much white space two texts have in common at the end that `space` finds, if one has all of the other's. */
function shared(a: string, b: string, space: RegExp): number {
  return Math.min(...[a, b].map((text) => space.exec(text)?.[0].length ?? 0));
}
