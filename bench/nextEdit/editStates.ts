// Creates editor states from commits: some hunks of a file are done, and the edit to suggest is the next hunk, or none.
import { sweepOne } from '../../server/nextEdit/sweep';
import { sameLines, withChange, type LineChange } from '../../server/rules/lineDiff';
import { Rng } from '../rng';
import { linesBefore, type FileChange } from './commitHunks';
import { namesOf, replacementsOf, replayed } from './replacements';

/**
 * Kind of state. same: replaying the replacements of the last hunk gives the next one. copy: all names in the next
 * hunk's new lines are in its old lines or in the last hunk. other: any other. nothing: no edit should be suggested.
 */
export type Stratum = 'same' | 'copy' | 'other' | 'nothing';
export const STRATA: readonly Stratum[] = ['same', 'copy', 'other', 'nothing'];

export interface EditState {
  readonly stratum: Stratum;
  readonly path: string;
  /** Successive texts of the file, oldest first; the last one is the state. */
  readonly texts: readonly (readonly string[])[];
  readonly cursor: { readonly line: number; readonly character: number };
  /** Texts after the next hunk, after the next two, and so on to that of the commit; empty for `nothing`. */
  readonly nextTexts: readonly (readonly string[])[];
}

const MAX_HUNK_LINES = 10;
/** Maximum number of hunks that a commit changes in a file. */
const MAX_HUNKS = 8;
/** Maximum number of texts of a state before its last one. */
const MAX_EARLIER_TEXTS = 3;
const SHARE_OF_NOTHING = 0.4;
const MAX_FILE_LINES = 5000;

/**
 * Returns about `count` states: 40 % without an edit to suggest, and equal numbers of the other strata, rounded up. A
 * stratum is smaller if the changes have too few states of it.
 */
export function editStates(
  changes: readonly FileChange[],
  count: number,
  seed: number,
): readonly EditState[] {
  const withoutEdit = Math.round(count * SHARE_OF_NOTHING);
  const perStratum = Math.ceil((count - withoutEdit) / 3);
  const room = new Map<Stratum, number>([
    ['same', perStratum],
    ['copy', perStratum],
    ['other', perStratum],
    ['nothing', withoutEdit],
  ]);
  const states: EditState[] = [];
  for (const change of shuffled(changes, seed)) {
    if ([...room.values()].every((left) => left <= 0)) break;
    // Take one state per changed file, so that no change counts twice.
    const state = statesOf(change).find(({ stratum }) => (room.get(stratum) ?? 0) > 0);
    if (state === undefined) continue;
    states.push(state);
    room.set(state.stratum, (room.get(state.stratum) ?? 0) - 1);
  }
  return states;
}

function statesOf(change: FileChange): readonly EditState[] {
  const { hunks, path } = change;
  const isSmall = hunks.every(({ removed, added }) => Math.max(removed, added.length) <= MAX_HUNK_LINES);
  if (!isSmall || hunks.length === 0 || hunks.length > MAX_HUNKS) return [];
  const lines = linesBefore(change);
  if (lines === undefined || lines.length > MAX_FILE_LINES) return [];
  const texts = appliedOneByOne(lines, hunks);
  // A hunk that only adds or removes the line break at the end of the file changes no line.
  if (texts.some((text, i) => i > 0 && sameLines(text, texts[i - 1] ?? []))) return [];
  const states = hunks.slice(1).flatMap((_, i) => stateWithNextHunk(path, texts, hunks, i));
  const last = hunks.length - 1;
  return [...states, { ...stateAfterHunk(path, texts, hunks, last), stratum: 'nothing' }];
}

/** Returns the state after hunk `i` if the next hunk is within the lines that Sweep's models would rewrite there. */
function stateWithNextHunk(
  path: string,
  texts: readonly (readonly string[])[],
  hunks: readonly LineChange[],
  i: number,
): EditState[] {
  const last = hunks[i];
  const next = hunks[i + 1];
  const before = texts[i];
  if (last === undefined || next === undefined || before === undefined) return [];
  const state = stateAfterHunk(path, texts, hunks, i);
  const end = next.at + next.removed + lineGrowth(hunks.slice(0, i + 1));
  if (end > sweepOne.span(texts[i + 1] ?? [], state.cursor).to) return [];
  const original = texts[0]?.slice(next.at, next.at + next.removed).join('\n') ?? '';
  const added = next.added.join('\n');
  // A change of white space alone is formatting, not an edit to predict.
  if (original.replace(/\s/g, '') === added.replace(/\s/g, '')) return [];
  const from = texts[0]?.slice(last.at, last.at + last.removed).join('\n') ?? '';
  const to = last.added.join('\n');
  const earlierNames = new Set(namesOf([original, from, to].join('\n')));
  const isSame = original !== '' && replayed(original, replacementsOf(from, to)) === added;
  const isCopy = namesOf(added).every((name) => earlierNames.has(name));
  return [
    {
      ...state,
      nextTexts: texts.slice(i + 2),
      stratum: isSame ? 'same' : isCopy ? 'copy' : 'other',
    },
  ];
}

/** Returns the state after hunk `i`, with the cursor at the end of that hunk and without next texts. */
function stateAfterHunk(
  path: string,
  texts: readonly (readonly string[])[],
  hunks: readonly LineChange[],
  i: number,
) {
  const text = texts[i + 1] ?? [];
  const { at = 0, added = [] } = hunks[i] ?? {};
  const firstLine = at + lineGrowth(hunks.slice(0, i));
  const line = Math.max(0, Math.min(text.length, firstLine + Math.max(1, added.length)) - 1);
  const cursor = { line, character: text[line]?.length ?? 0 };
  const recentTexts = texts.slice(Math.max(0, i + 1 - MAX_EARLIER_TEXTS), i + 2);
  return { path, texts: recentTexts, cursor, nextTexts: [] };
}

/** Counts the lines by which hunks lengthen a text; below 0 if they shorten it. */
function lineGrowth(hunks: readonly LineChange[]): number {
  return hunks.reduce((sum, { removed, added }) => sum + added.length - removed, 0);
}

function appliedOneByOne(
  lines: readonly string[],
  hunks: readonly LineChange[],
): readonly (readonly string[])[] {
  let text = lines;
  let moved = 0;
  const texts = [lines];
  for (const { at, removed, added } of hunks) {
    text = withChange(text, { at: at + moved, removed, added });
    moved += added.length - removed;
    texts.push(text);
  }
  return texts;
}

function shuffled<T>(values: readonly T[], seed: number): readonly T[] {
  const rng = new Rng(seed);
  return values
    .map((value) => ({ value, key: rng.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}
