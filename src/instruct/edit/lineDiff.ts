// The lines in which two texts differ, as the fewest lines to remove and to add: a longest common subsequence.

/** At line `at` of the first text, `removed` lines give way to `added`. */
export interface LineChange {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly string[];
}

/** Cells of the table; beyond, everything between the first and the last difference is one change. */
const MAX_CELLS = 4_000_000;

/** In order; no two touch. */
export function lineDiff(before: readonly string[], after: readonly string[]): LineChange[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const old = before.slice(start, before.length - end);
  const fresh = after.slice(start, after.length - end);
  if (old.length + fresh.length === 0) return [];
  if (old.length * fresh.length > MAX_CELLS) return [{ at: start, removed: old.length, added: fresh }];
  return changes(old, fresh).map((change) => ({ ...change, at: start + change.at }));
}

function changes(old: readonly string[], fresh: readonly string[]): LineChange[] {
  const width = fresh.length + 1;
  const common = commonLengths(old, fresh, width);
  const found: LineChange[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    const [at, from] = [i, j];
    while ((i < old.length || j < fresh.length) && !(i < old.length && old[i] === fresh[j])) {
      const below = i < old.length ? (common[(i + 1) * width + j] ?? 0) : -1;
      const right = j < fresh.length ? (common[i * width + j + 1] ?? 0) : -1;
      if (below >= right) i += 1;
      else j += 1;
    }
    if (i > at || j > from) found.push({ at, removed: i - at, added: fresh.slice(from, j) });
    // Equal lines begin a longest common subsequence of what is left.
    while (i < old.length && old[i] === fresh[j]) [i, j] = [i + 1, j + 1];
  }
  return found;
}

/** At [i * width + j], how many lines the rests from i and j have in common, in order. */
function commonLengths(old: readonly string[], fresh: readonly string[], width: number): Uint32Array {
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      const [here, below] = [i * width + j, (i + 1) * width + j];
      common[here] =
        old[i] === fresh[j]
          ? 1 + (common[below + 1] ?? 0)
          : Math.max(common[below] ?? 0, common[here + 1] ?? 0);
    }
  return common;
}
