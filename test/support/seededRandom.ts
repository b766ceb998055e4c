// Random numbers that depend on a seed alone, so that a failure can be repeated.
import { Chance } from '../../bench/replay/chance';

/** Numbers in [0, 1). */
export function seededRandom(seed: number): () => number {
  const chance = new Chance(seed);
  return () => chance.next();
}

/** Integers from `low` to `high`, both included. */
export function seededIntegers(seed: number, count: number, low: number, high: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => low + Math.floor(random() * (high - low + 1)));
}
