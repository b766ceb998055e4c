// Speeds of draft lengths in a simulation: of a fixed length by arithmetic, and of a policy by simulated rounds.
import type { SimulatedRound } from './simulatedPair';

/** Milliseconds of a pass by its rows. */
export type Costs = (rows: number) => number;

/** Milliseconds of a drafter's pass. */
export const DRAFT_MS = 8;
const MAX_DRAFTS = 15;

/** Returns the tokens per millisecond of always verifying `length` drafts that are right with probability `alpha`. */
export function fixedSpeed(length: number, alpha: number, costs: Costs, draftMs = DRAFT_MS): number {
  const tokens = Array.from({ length }, (_, i) => alpha ** (i + 1)).reduce((sum, share) => sum + share, 1);
  return tokens / (costs(length + 1) + (length > 0 ? draftMs : 0));
}

/** Returns the fastest fixed number of drafts. */
export function bestLength(alpha: number, costs: Costs, draftMs = DRAFT_MS): number {
  const lengths = Array.from({ length: MAX_DRAFTS + 1 }, (_, length) => length);
  const speed = (length: number) => fixedSpeed(length, alpha, costs, draftMs);
  return lengths.reduce((best, length) => (speed(length) > speed(best) ? length : best));
}

/** Returns the tokens per millisecond of the fastest fixed number of drafts. */
export function bestSpeed(alpha: number, costs: Costs, draftMs = DRAFT_MS): number {
  return fixedSpeed(bestLength(alpha, costs, draftMs), alpha, costs, draftMs);
}

/** Returns the tokens per millisecond of simulated rounds. */
export function speedOf(rounds: readonly SimulatedRound[]): number {
  const sum = (of: (round: SimulatedRound) => number) =>
    rounds.reduce((total, round) => total + of(round), 0);
  return sum(({ tokens }) => tokens) / sum(({ milliseconds }) => milliseconds);
}
