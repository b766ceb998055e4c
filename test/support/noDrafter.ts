// A drafter that never drafts, from which others are made.
import type { Drafter, DraftState } from '../../server/models/drafters/drafter';

export const noDrafter: Drafter = {
  name: 'none',
  isFree: true,
  maxDraftTokens: 0,
  taps: [],
  newState: () => newState(0),
  dispose: () => undefined,
};

function newState(length: number): DraftState {
  let offset = length;
  return {
    get offset() {
      return offset;
    },
    relate: () => undefined,
    commit: (tokens) => void (offset += tokens.length),
    propose: () => ({ tokens: [], confidence: [] }),
    reachable: (to) => Math.min(offset, to),
    trimTo: (to) => void (offset = Math.min(offset, to)),
    fork: newState,
    arrays: () => [],
    dispose: () => void (offset = 0),
  };
}
