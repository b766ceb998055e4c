// Counts how many elements two texts or lists have in common at their start and at their end.

/** Counts the common elements at the start; the elements of a text are its UTF-16 units. */
export function commonStart<T>(a: ArrayLike<T>, b: ArrayLike<T>): number {
  const max = Math.min(a.length, b.length);
  let count = 0;
  while (count < max && a[count] === b[count]) count += 1;
  return count;
}

/** Counts the common elements at the end, without the first `start` elements of either. */
export function commonEnd<T>(a: ArrayLike<T>, b: ArrayLike<T>, start = 0): number {
  const max = Math.min(a.length, b.length) - start;
  let count = 0;
  while (count < max && a[a.length - 1 - count] === b[b.length - 1 - count]) count += 1;
  return count;
}
