// The drafter that never drafts: plain decoding is the same loop with empty drafts, not a second one.
import type { Drafter, DraftState, Proposal } from './drafter';

class NoDraftState implements DraftState {
  offset = 0;

  relate(): void {
    // It never drafts.
  }

  commit(tokens: readonly number[]): void {
    this.offset += tokens.length;
  }

  propose(): Proposal {
    return { tokens: [], confidence: [] };
  }

  trimTo(length: number): void {
    this.offset = Math.min(this.offset, length);
  }

  fork(length: number): DraftState {
    const copy = new NoDraftState();
    copy.offset = length;
    return copy;
  }

  arrays(): [] {
    return [];
  }

  dispose(): void {
    this.offset = 0;
  }
}

export const noDrafter: Drafter = {
  name: 'none',
  isFree: true,
  maxDraftTokens: 0,
  taps: [],
  newState: () => new NoDraftState(),
  dispose: () => undefined,
};
