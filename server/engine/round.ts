// One round of speculative decoding: draft, verify in one target pass, accept. Committing is a second step,
// because only the caller knows how many of the accepted tokens stay.
import type { DraftState } from '../models/drafter';
import type { KVCache } from '../models/kvCache';
import { dispose, scope, settle } from '../models/memory';
import * as mx from '../models/ops';
import type { TargetModel } from '../models/target';
import { tokenArray } from '../models/tokenArray';
import { acceptGreedy, type Acceptance } from './accept';

/** The mutable memory of a decode: the caches hold every committed token but the anchor. */
export interface DecodeState {
  readonly caches: readonly KVCache[];
  readonly draft: DraftState;
}

export interface VerifiedRound extends Acceptance {
  readonly drafts: readonly number[];
  /** [1, drafts + 1, taps · hiddenSize], or undefined when the drafter has no taps. */
  readonly taps: mx.MxArray | undefined;
  readonly draftMs: number;
  readonly verifyMs: number;
  readonly buildMs: number;
}

/** Drafts up to `count` tokens after `anchor` and verifies them. Afterwards the caches hold all verified rows. */
export async function verifyRound(
  target: TargetModel,
  state: DecodeState,
  taps: readonly number[],
  anchor: number,
  count: number,
): Promise<VerifiedRound> {
  const watch = new Stopwatch();
  const drafts = count > 0 ? await draft(state.draft, anchor, count, watch) : [];
  const draftMs = watch.lap();
  const verified = scope(() => {
    const block = tokenArray([anchor, ...drafts], target.config.vocabSize);
    const { hidden, taps: tapped } = target.forward(block, state.caches, taps);
    const outputs = { best: greedy(target.logits(hidden)), taps: tapped };
    watch.built();
    return outputs;
  });
  await settle(verified);
  const acceptance = acceptGreedy(drafts, mx.numbers(verified.best));
  dispose(verified.best);
  const { buildMs } = watch;
  return { ...acceptance, drafts, taps: verified.taps, draftMs, verifyMs: watch.lap(), buildMs };
}

/**
 * Keeps the anchor and the first `kept` - 1 drafts of a round in both memories and forgets the other rows, so that
 * the last kept token becomes the anchor (I1, I2). Frees the taps.
 */
export function commitRound(
  state: DecodeState,
  { drafts, taps }: VerifiedRound,
  anchor: number,
  kept: number,
): void {
  const rows = [anchor, ...drafts].slice(0, kept);
  for (const cache of state.caches) cache.trimTo(cache.offset - drafts.length - 1 + kept);
  scope(() => {
    state.draft.commit(rows, taps && mx.slice(taps, 1, 0, kept));
    return undefined;
  });
  dispose(taps);
}

async function draft(
  state: DraftState,
  anchor: number,
  count: number,
  watch: Stopwatch,
): Promise<readonly number[]> {
  const proposal = scope(() => {
    const proposed = state.propose(anchor, count);
    const drafts = 'logits' in proposed ? { best: greedy(proposed.logits) } : proposed.tokens;
    watch.built();
    return drafts;
  });
  if (!('best' in proposal)) return proposal;
  await settle(proposal.best, state.arrays());
  const tokens = mx.numbers(proposal.best);
  dispose(proposal.best);
  return tokens;
}

/** [1, rows, vocabulary] to the best token of each row, [rows]. */
function greedy(logits: mx.MxArray): mx.MxArray {
  return mx.reshape(mx.argmax(logits), -1);
}

class Stopwatch {
  #lapStart = performance.now();
  #buildStart = this.#lapStart;
  buildMs = 0;

  /** Ends a stretch of graph building. */
  built(): void {
    this.buildMs += performance.now() - this.#buildStart;
  }

  lap(): number {
    const now = performance.now();
    const elapsed = now - this.#lapStart;
    this.#lapStart = this.#buildStart = now;
    return elapsed;
  }
}
