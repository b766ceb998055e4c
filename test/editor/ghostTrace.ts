// Checks the frames and keys that ghostWatch.js recorded while a user typed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** The line of the cursor in one frame that differs from the frame before. */
export interface GhostFrame {
  /** Milliseconds since the page was opened, as for keys. */
  readonly at: number;
  /** Document text left of the ghost text, or the whole line without ghost text. */
  readonly before: string;
  readonly ghost: string;
  readonly after: string;
  /** Further lines of the ghost text. */
  readonly below: string;
  /** Pixels between the cursor and the ghost text. */
  readonly gap: number;
  /** Whether VS Code's list of completions is open. */
  readonly list: boolean;
}

export interface GhostTrace {
  readonly frames: readonly GhostFrame[];
  readonly keys: readonly { readonly key: string; readonly at: number }[];
}

/** Limit of the gap in pixels, half the width of a character: the ghost text starts at the cursor. */
const MAX_GAP = 4;
/** Closers that the editor inserts after the cursor, and white space: comparisons ignore both. */
const CLOSERS = /[)\]}'"`\s]+/g;
/** Pixels by which each closer before the ghost text can add to the gap. */
const CLOSER_PX = 10;

/** Starts the recording of frames and keys in a page. */
export async function watchGhost(page: Page): Promise<void> {
  await page.evaluate(readFileSync(join(process.cwd(), 'test/editor/ghostWatch.js'), 'utf8'));
}

/** Returns the frames and keys recorded in a page so far. */
export async function readTrace(page: Page): Promise<GhostTrace> {
  return await page.evaluate(() => (globalThis as unknown as { ghostTrace: () => GhostTrace }).ghostTrace());
}

/**
 * Returns every frame with ghost text in the wrong place. All typing was at the end of a line, before closers that the
 * editor inserted. A frame does not show whether the text was suggested for that position:
 * test/src/growingSuggestions.test.ts tests that.
 */
export function misplaced({ frames }: GhostTrace): string[] {
  return frames.flatMap((frame, i) => {
    const { before, ghost, after, gap } = frame;
    if (ghost === '') return [];
    const closed = /[)\]}'"`]*$/.exec(before)?.[0].length ?? 0;
    const faults = [
      Math.abs(gap) > MAX_GAP + closed * CLOSER_PX &&
        !isTypedOver(frames[i - 1], frame) &&
        `${gap} px from the cursor`,
      withoutClosers(after) !== '' && 'not at the end of the line',
    ];
    return faults.filter(Boolean).map((fault) => `${String(fault)}: ${JSON.stringify(frame)}`);
  });
}

/**
 * Returns whether a key has typed over a closer of the editor that the ghost text before it began with. VS Code then
 * draws the cursor after the rest of the ghost text until the next answer: it computes the cursor's column while the
 * closer is still after the ghost text, and later only checks that it is in the line.
 */
function isTypedOver(last: GhostFrame | undefined, { before, ghost }: GhostFrame): boolean {
  if (last === undefined || !before.startsWith(last.before)) return false;
  const typed = before.slice(last.before.length);
  return typed !== '' && last.after.startsWith(typed) && last.ghost === typed + ghost;
}

/**
 * Returns the frames around every key that matched the ghost text, yet made the rest of it disappear for a frame. A text
 * that grows also disappears for a moment, but without a key.
 */
export function flickers({ frames, keys }: GhostTrace): string[] {
  return frames.flatMap((frame, i) => {
    const last = frames[i - 1];
    // The completion list can replace the ghost text with an entry; a busy machine opens it one key later.
    const lengthAtNextKey = frame.before.length + 1;
    const listOrLater = frames.slice(i).find(({ list, before }) => list || before.length > lengthAtNextKey);
    if (last === undefined || last.list || listOrLater?.list === true) return [];
    if (!keys.some(({ at }) => at > last.at && at <= frame.at)) return [];
    const typed = frame.before.startsWith(last.before) ? frame.before.slice(last.before.length) : '';
    const isPredicted = typed !== '' && last.ghost.startsWith(typed);
    const rest = withoutClosers(last.ghost.slice(typed.length));
    if (!isPredicted || frame.ghost + frame.below !== '' || rest === '') return [];
    return [`gone: ${JSON.stringify(frames.slice(i - 1, i + 4))}`];
  });
}

/** Returns the text without closers and white space. */
export function withoutClosers(text: string): string {
  return text.replaceAll(CLOSERS, '');
}
