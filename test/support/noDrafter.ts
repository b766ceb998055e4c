// A drafter that never drafts, and a state that only holds tokens. Other test drafters are built from them.
import type { Drafter, DraftState } from '../../server/models/drafters/drafter';

export const noDrafter: Drafter = {
  name: 'none',
  isFree: true,
  maxDraftTokens: 0,
  taps: [],
  newState: () => tokenState(),
  dispose: () => undefined,
};

/**
 * Creates a state that holds the committed tokens. `overridesOf` gets their array, which it can change, and returns
 * methods that replace those of the state.
 */
export function tokenState(
  overridesOf: (held: number[]) => Partial<DraftState> = () => ({}),
  tokens: readonly number[] = [],
): DraftState {
  const held = [...tokens];
  return {
    get offset() {
      return held.length;
    },
    commit: (more) => void held.push(...more),
    propose: () => ({ tokens: [], confidence: [] }),
    reachable: (length) => Math.min(length, held.length),
    trimTo: (length) => void held.splice(length),
    fork: (length) => tokenState(overridesOf, held.slice(0, length)),
    arrays: () => [],
    dispose: () => void held.splice(0),
    ...overridesOf(held),
  };
}
