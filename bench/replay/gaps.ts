// Gaps: the parts of a file that are missing when it is opened and are typed afterwards. They are runs of whole lines,
// so that there is text above and below, as in most files that a person works on.
import type { Rng } from '../rng';

/** Offsets in the whole text. Begins at the end of a line, so that Enter is the first key. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** At the top of the file, and between two gaps. */
const KEPT_LINES = [2, 5] as const;
const MISSING_LINES = [2, 6] as const;
/** A gap of at least this many lines may be typed in two goes, with another file in between. */
const SPLIT_LINES = 4;

/** In the order of the text; two may touch. A text of a few lines is missing as a whole. */
export function gaps(text: string, rng: Rng): Gap[] {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const found: Gap[] = [];
  for (let line = rng.whole(...KEPT_LINES); line < ends.length;) {
    const count = Math.min(rng.whole(...MISSING_LINES), ends.length - line);
    const middle = line + (count >> 1);
    const parts =
      count >= SPLIT_LINES && rng.happens(0.5) ? [line, middle, line + count] : [line, line + count];
    for (const [i, start] of parts.slice(0, -1).entries())
      found.push({ from: ends[start - 1] ?? 0, to: ends[(parts[i + 1] ?? start) - 1] ?? text.length });
    line += count + rng.whole(...KEPT_LINES);
  }
  return found.length > 0 ? found : [{ from: 0, to: ends.at(-1) ?? text.length }];
}

/** The text without some of its parts, which are in its order and do not overlap. */
export function without(text: string, missing: readonly Gap[]): string {
  let rest = '';
  let end = 0;
  for (const { from, to } of missing) {
    rest += text.slice(end, from);
    end = to;
  }
  return rest + text.slice(end);
}
