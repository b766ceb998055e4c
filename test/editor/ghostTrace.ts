// What a user saw while typing: the frames and keys that ghostWatch.js recorded, and what is wrong with them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** The line of the cursor in one frame that differs from the one before. */
export interface GhostFrame {
  readonly at: number;
  /** Real text left of the ghost text, or the whole line without one. */
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

/** Half the width of a character: the ghost text starts at the cursor. */
const MAX_GAP = 4;
/** What the editor closes, which a suggestion goes around, and white space, which it draws as it likes. */
const CLOSERS = /[)\]}'"`\s]+/g;
const CLOSER_PX = 10;

export async function watchGhost(page: Page): Promise<void> {
  await page.evaluate(readFileSync(join(process.cwd(), 'test/editor/ghostWatch.js'), 'utf8'));
}

export async function readTrace(page: Page): Promise<GhostTrace> {
  return await page.evaluate(() => (globalThis as unknown as { ghostTrace: () => GhostTrace }).ghostTrace());
}

/**
 * Every frame in which ghost text was in the wrong place. All typing was at the end of a line, before what the editor had
 * closed. Whether it is the answer for that place is not seen in a frame: test/src/growingSuggestions.test.ts has that.
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

/** Every key that the ghost text had said would come, after which it was gone for a frame although more was to come. */
export function flickers({ frames }: GhostTrace): string[] {
  return frames.flatMap((frame, i) => {
    const last = frames[i - 1];
    // What the list opens with, or has selected, may be something else; a busy machine opens it a key later.
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

function opened(text: string): string {
  return text.replaceAll(CLOSERS, '');
}
