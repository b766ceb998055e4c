// Random numbers that depend on a seed alone, so that a failure can be repeated.
// The generator is mulberry32.

/** Numbers in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Integers from `low` to `high`, both included. */
export function seededIntegers(seed: number, count: number, low: number, high: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => low + Math.floor(random() * (high - low + 1)));
}
