// The difference of two texts: the part between their common beginning and their common end.
import { commonEnd, commonStart } from './commonEnds';
import { splitsCharacter } from './splitsCharacter';

/** Returns the difference, which begins at offset `start` of both texts (UTF-16 units). Splits no character in half. */
export function textDifference(
  before: string,
  after: string,
): { readonly start: number; readonly removed: string; readonly inserted: string } {
  let start = commonStart(before, after);
  if (splitsCharacter(before, start) || splitsCharacter(after, start)) start -= 1;
  let end = commonEnd(before, after, start);
  if (splitsCharacter(before, before.length - end) || splitsCharacter(after, after.length - end)) end -= 1;
  return {
    start,
    removed: before.slice(start, before.length - end),
    inserted: after.slice(start, after.length - end),
  };
}
