// Checks the frames and keys that ghostWatch.js recorded while a user typed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** The line of the cursor in one frame that differs from the frame before. */
export interface GhostFrame {
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

/** Limit of the gap, half the width of a character: the ghost text starts at the cursor. */
const MAX_GAP = 4;
/** Closers that the editor inserts after the cursor, and white space: comparisons ignore both. */
const CLOSERS = /[)\]}'"`\s]+/g;
const CLOSER_PX = 10;

export async function watchGhost(page: Page): Promise<void> {
  await page.evaluate(readFileSync(join(process.cwd(), 'test/editor/ghostWatch.js'), 'utf8'));
}

export async function readTrace(page: Page): Promise<GhostTrace> {
  return await page.evaluate(() => (globalThis as unknown as { ghostTrace: () => GhostTrace }).ghostTrace());
}

/**
 * Returns every frame with ghost text in the wrong place. All typing was at the end of a line, before closers that the
 * editor inserted. A frame does not show whether the text was suggested for that position:
 * test/src/growingSuggestions.test.ts tests that.
 */
export function misplaced({ frames }: GhostTrace): string[] {
  return frames.flatMap((frame) => {
    const { before, ghost, after, gap } = frame;
    if (ghost === '') return [];
    const closed = /[)\]}'"`]*$/.exec(before)?.[0].length ?? 0;
    const wrong = [
      Math.abs(gap) > MAX_GAP + closed * CLOSER_PX && `${gap} px from the cursor`,
      opened(after) !== '' && 'not at the end of the line',
    ];
    return wrong.filter(Boolean).map((what) => `${String(what)}: ${JSON.stringify(frame)}`);
  });
}

/** Returns every key that matched the ghost text, yet made the rest of the ghost text disappear for a frame. */
export function flickers({ frames }: GhostTrace): string[] {
  return frames.flatMap((frame, i) => {
    const last = frames[i - 1];
    // The completion list can replace the ghost text with an entry; a busy machine opens it one key later.
    const later = frame.before.length + 1;
    const here = frames.slice(i).find((each) => each.list || each.before.length > later);
    if (last === undefined || last.list || here?.list === true) return [];
    const grown = frame.before.startsWith(last.before) ? frame.before.slice(last.before.length) : '';
    const isSaid = grown !== '' && last.ghost.startsWith(grown);
    if (!isSaid || frame.ghost + frame.below !== '' || opened(last.ghost.slice(grown.length)) === '')
      return [];
    return [`gone: ${JSON.stringify(frames.slice(i - 1, i + 4))}`];
  });
}

/** Returns the text without closers and white space. */
export function opened(text: string): string {
  return text.replaceAll(CLOSERS, '');
}
