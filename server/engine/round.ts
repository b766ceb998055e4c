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
  /** [1, rows, taps · hiddenSize], or undefined when no drafter has taps. */
  readonly taps: mx.MxArray | undefined;
}

/**
 * Verifies `drafts` after the committed tokens that the memory does not hold: the anchor, and before it maybe the end
 * of a prompt. Afterwards the target's caches hold all rows.
 */
export async function verifyRound(
  memory: DecodeMemory,
  unread: readonly number[],
  drafts: readonly number[],
  watch: Stopwatch,
): Promise<VerifiedRound> {
  const { target, caches, taps } = memory;
  const verified = scope(() => {
    const rows = unread.length + drafts.length;
    const block = tokenArray([...unread, ...drafts], target.config.vocabSize);
    const { hidden, taps: tapped } = target.forward(block, caches, taps);
    const judging = unread.length > 1 ? mx.slice(hidden, 1, unread.length - 1, rows) : hidden;
    const best = mx.reshape(mx.argmax(target.logits(judging)), -1);
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
 * Keeps what was unread and the first `kept` - 1 drafts of a round in all memories and forgets the other rows, so
 * that the last kept token becomes the anchor (I1, I2). Frees the taps.
 */
export function commitRound(
  memory: DecodeMemory,
  { drafts, taps }: VerifiedRound,
  unread: readonly number[],
  kept: number,
): void {
  const rows = [...unread, ...drafts].slice(0, unread.length - 1 + kept);
  for (const cache of memory.caches) cache.trimTo(cache.offset - unread.length - drafts.length + rows.length);
  scope(() => {
    memory.commit(rows, taps && mx.slice(taps, 1, 0, rows.length));
    return undefined;
  });
  dispose(taps);
}
