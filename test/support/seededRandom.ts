// Random numbers that depend on a seed alone, so that a failure can be repeated.
import { Rng } from '../../bench/rng';

/** Returns a generator of numbers in [0, 1). */
export function seededRandom(seed: number): () => number {
  const rng = new Rng(seed);
  return () => rng.next();
}

/** Returns integers from `low` to `high`, both included. */
export function seededIntegers(seed: number, count: number, low: number, high: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => low + Math.floor(random() * (high - low + 1)));
}
