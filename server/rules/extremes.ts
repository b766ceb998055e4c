// The largest and the smallest of many numbers. Math.max(...numbers) overflows the stack for as many numbers as a large
// vocabulary has tokens.

/** Returns the largest number, -Infinity if there are none; NaN if one of them is NaN. */
export function largestOf(numbers: Iterable<number>): number {
  let largest = -Infinity;
  for (const number of numbers) largest = Math.max(largest, number);
  return largest;
}

/** Returns the smallest number, Infinity if there are none; NaN if one of them is NaN. */
export function smallestOf(numbers: Iterable<number>): number {
  let smallest = Infinity;
  for (const number of numbers) smallest = Math.min(smallest, number);
  return smallest;
}
