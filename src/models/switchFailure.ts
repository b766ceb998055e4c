// Whether a switch to another pair has failed, by what the server says of itself. Pure.
import type { StatusParams } from '../../server/protocol';

/** As the settings of these names have it. */
export interface ModelPair {
  readonly target: string;
  readonly drafter: string;
}

export interface PairChange {
  readonly previous: ModelPair;
  readonly chosen: ModelPair;
}

/** Why the chosen pair is not the one in use; undefined while it is, or once something else is chosen. */
export function switchFailure(
  change: PairChange | undefined,
  current: ModelPair,
  { state, fallback, message }: StatusParams,
): string | undefined {
  if (change === undefined || !isSamePair(change.chosen, current)) return undefined;
  return fallback ?? (state === 'error' ? message : undefined);
}

export function isSamePair(a: ModelPair, b: ModelPair): boolean {
  return a.target === b.target && a.drafter === b.drafter;
}
