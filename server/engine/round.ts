// One round of speculative decoding after its draft: verify in one target pass, accept. Committing is a second step,
// because only the caller knows how many of the accepted tokens stay.
import { dispose, scope, settle } from '../models/memory';
import * as mx from '../models/ops';
import { tokenArray } from '../models/tokenArray';
import { acceptGreedy, type Acceptance } from './accept';
import type { DecodeMemory } from './decodeMemory';
import type { Stopwatch } from './stopwatch';

export interface VerifiedRound extends Acceptance {
  readonly drafts: readonly number[];
  /** [1, drafts + 1, taps · hiddenSize], or undefined when no drafter has taps. */
  readonly taps: mx.MxArray | undefined;
}

/** Verifies `drafts` after `anchor`. Afterwards the target's caches hold all verified rows. */
export async function verifyRound(
  memory: DecodeMemory,
  anchor: number,
  drafts: readonly number[],
  watch: Stopwatch,
): Promise<VerifiedRound> {
  const { target, caches, taps } = memory;
  const verified = scope(() => {
    const block = tokenArray([anchor, ...drafts], target.config.vocabSize);
    const { hidden, taps: tapped } = target.forward(block, caches, taps);
    const best = mx.reshape(mx.argmax(target.logits(hidden)), -1);
    watch.built();
    return { best, taps: tapped };
  });
  // What earlier rounds showed the drafters too: who is never asked would pile it up.
  await settle(verified, memory.arrays());
  const acceptance = acceptGreedy(drafts, mx.numbers(verified.best));
  dispose(verified.best);
  return { ...acceptance, drafts, taps: verified.taps };
}

/**
 * Keeps the anchor and the first `kept` - 1 drafts of a round in all memories and forgets the other rows, so that
 * the last kept token becomes the anchor (I1, I2). Frees the taps.
 */
export function commitRound(
  memory: DecodeMemory,
  { drafts, taps }: VerifiedRound,
  anchor: number,
  kept: number,
): void {
  const rows = [anchor, ...drafts].slice(0, kept);
  for (const cache of memory.caches) cache.trimTo(cache.offset - drafts.length - 1 + kept);
  scope(() => {
    memory.commit(rows, taps && mx.slice(taps, 1, 0, kept));
    return undefined;
  });
  dispose(taps);
}
