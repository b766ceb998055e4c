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
/** What the editor closes, which a suggestion goes around. */
const CLOSERS = /[)\]}'"`]+/g;
const CLOSER_PX = 10;

export async function watchGhost(page: Page): Promise<void> {
  await page.evaluate(readFileSync(join(process.cwd(), 'test/editor/ghostWatch.js'), 'utf8'));
}

export async function readTrace(page: Page): Promise<GhostTrace> {
  return await page.evaluate(() => (globalThis as unknown as { ghostTrace: () => GhostTrace }).ghostTrace());
}

/**
 * Every frame in which ghost text was in the wrong place, or stayed although the text typed since did not match it.
 * `lines` are those of the document at the end; all typing was at the end of a line, before what the editor had closed.
 */
export function misplaced({ frames }: GhostTrace, lines: readonly string[]): string[] {
  return frames.flatMap((frame, i) => {
    const { before, ghost, after, gap } = frame;
    if (ghost === '') return [];
    const found: string[] = [];
    const complain = (what: string): void => void found.push(`${what}: ${JSON.stringify(frame)}`);
    const closed = /[)\]}'"`]*$/.exec(before)?.[0].length ?? 0;
    if (Math.abs(gap) > MAX_GAP + closed * CLOSER_PX) complain(`${gap} px from the cursor`);
    if (opened(after) !== '') complain('not at the end of the line');
    if (!lines.some((line) => line.startsWith(before))) complain('beside the text of the document');
    const last = frames[i - 1];
    const grown = last === undefined ? '' : before.slice(last.before.length);
    // The first frame with a new key: no answer to it can have come yet, so it must be the rest of what was there.
    if (last !== undefined && last.ghost !== '' && grown !== '' && before.startsWith(last.before))
      if (opened(last.ghost) !== opened(grown + ghost)) complain(`stale after ${JSON.stringify(last)}`);
    return found;
  });
}

function opened(text: string): string {
  return text.replaceAll(CLOSERS, '');
}

/** Milliseconds from the press of a key to the frame in which the ghost text continues after its character. */
export function typedThroughTimes({ frames, keys }: GhostTrace): number[] {
  return frames.flatMap((frame, i) => {
    const last = frames[i - 1];
    const grown = last === undefined ? '' : frame.before.slice(last.before.length);
    if (last?.ghost === undefined || grown.length !== 1 || last.ghost !== grown + frame.ghost) return [];
    const key = keys.findLast(({ key, at }) => key === grown && at <= frame.at);
    return key === undefined ? [] : [frame.at - key.at];
  });
}
