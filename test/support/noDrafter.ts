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
 * Creates a state that holds the committed tokens. `own` gets these tokens and returns methods that replace some of the
 * state's.
 */
export function tokenState(
  own: (held: number[]) => Partial<DraftState> = () => ({}),
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
    fork: (length) => tokenState(own, held.slice(0, length)),
    arrays: () => [],
    dispose: () => void held.splice(0),
    ...own(held),
  };
}
