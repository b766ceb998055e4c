// The part in which two texts differ.
import { commonEnd, commonStart } from './commonEnds';

/** Returns the difference of two texts without their common beginning and end. Splits no character in half. */
export function trimmed(
  before: string,
  after: string,
): { readonly start: number; readonly removed: string; readonly inserted: string } {
  let start = commonStart(before, after);
  if (isInside(before, start) || isInside(after, start)) start -= 1;
  let end = commonEnd(before, after, start);
  if (isInside(before, before.length - end) || isInside(after, after.length - end)) end -= 1;
  return {
    start,
    removed: before.slice(start, before.length - end),
    inserted: after.slice(start, after.length - end),
  };
}

/** Returns whether `offset` is between the two units of one character. */
function isInside(text: string, offset: number): boolean {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}
