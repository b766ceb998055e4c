// Chooses gaps: the parts of a file that are missing when it is opened and are then typed. Gaps are runs of whole lines
// with text above and, except at the end of the file, below.
import type { Rng } from '../rng';

/** Offsets in the complete text. A gap begins at the end of a line, so that Enter is the first key, or at offset 0. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** Minimum and maximum number of lines kept at the top of the file and between two gaps. */
const KEPT_LINES = [2, 5] as const;
/** Minimum and maximum number of lines of a gap. */
const MISSING_LINES = [2, 6] as const;
/** Minimum number of lines of a gap that can be typed in two parts, with another file in between. */
const SPLIT_LINES = 4;

/** Returns gaps in the order of the text; two can touch. A text of a few lines can be one gap, from offset 0. */
export function gaps(text: string, rng: Rng): Gap[] {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const found: Gap[] = [];
  for (let line = rng.integer(...KEPT_LINES); line < ends.length;) {
    const count = Math.min(rng.integer(...MISSING_LINES), ends.length - line);
    const middle = line + (count >> 1);
    const parts =
      count >= SPLIT_LINES && rng.happens(0.5) ? [line, middle, line + count] : [line, line + count];
    for (const [i, start] of parts.slice(0, -1).entries())
      found.push({ from: ends[start - 1] ?? 0, to: ends[(parts[i + 1] ?? start) - 1] ?? text.length });
    line += count + rng.integer(...KEPT_LINES);
  }
  return found.length > 0 ? found : [{ from: 0, to: ends.at(-1) ?? text.length }];
}

/** Returns the text without `missing` parts, which are in order and do not overlap. */
export function without(text: string, missing: readonly Gap[]): string {
  let rest = '';
  let end = 0;
  for (const { from, to } of missing) {
    rest += text.slice(end, from);
    end = to;
  }
  return rest + text.slice(end);
}
