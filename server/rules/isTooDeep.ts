// How many levels a value from outside may have, so that looking at it never uses up the stack.

export const MOST_LEVELS = 200;

/** Whether a value that JSON.parse made has more. */
export function isTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isTooDeep(each, levels - 1));
}
