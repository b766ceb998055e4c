// How far two texts or lists agree from their start and from their end.

/** Counts the elements, or UTF-16 units, that both begin with. */
export function commonStart<T>(a: ArrayLike<T>, b: ArrayLike<T>): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a[count] === b[count]) count += 1;
  return count;
}

/** Counts those that both end with, not counting the first `start` of either. */
export function commonEnd<T>(a: ArrayLike<T>, b: ArrayLike<T>, start = 0): number {
  const most = Math.min(a.length, b.length) - start;
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count += 1;
  return count;
}
