// A drafter that records the committed tokens, and exposes the state of the decode that uses it.
import type { Drafter, DraftState } from '../../server/models/drafters/drafter';
import { overlaid } from './overlaid';

export class RecordingDrafter {
  /** Every token that was committed to the state, in order. */
  readonly committed: number[] = [];
  /** State of the latest decode. */
  state: DraftState | undefined;
  readonly drafter: Drafter;

  constructor(inner: Drafter) {
    this.drafter = overlaid(inner, {
      newState: (target, expectedRows) => {
        this.committed.length = 0;
        return (this.state = recorded(inner.newState(target, expectedRows), this.committed));
      },
    });
  }
}

function recorded(inner: DraftState, committed: number[]): DraftState {
  return overlaid(inner, {
    commit: (tokens, taps) => {
      inner.commit(tokens, taps);
      committed.push(...tokens);
    },
    trimTo: (length) => {
      inner.trimTo(length);
      committed.length = length;
    },
    fork: (length, expectedRows) => recorded(inner.fork(length, expectedRows), committed.slice(0, length)),
  });
}
