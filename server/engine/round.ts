// One round of speculative decoding after its draft: verify in one target pass, accept. Committing is a second step,
// because only the caller knows how many of the accepted tokens stay.
import { dispose, scope, settle } from '../models/memory';
import * as mx from '../models/ops';
import { tokenArray } from '../models/tokenArray';
import { accept, type Acceptance } from './accept';
import type { DecodeMemory } from './decodeMemory';
import type { Drafted, Place, Sampler, TargetRows, TokenLogprobs } from './sampling/sampler';
import type { Stopwatch } from './stopwatch';

/** What a round begins with. */
export interface RoundStart {
  readonly memory: DecodeMemory;
  /** The committed tokens that the memory does not hold: the anchor, and before it maybe the end of a prompt. */
  readonly unread: readonly number[];
  readonly sampler: Sampler;
  /** Where the text stands after the anchor. */
  readonly at: Place;
  readonly watch: Stopwatch;
}

/** Which drafts stay, and what the output gets. */
export interface Verdict extends Acceptance {
  /** One for each token, when they were asked for. */
  readonly logprobs?: readonly TokenLogprobs[] | undefined;
}

export interface VerifiedRound extends Verdict {
  readonly drafts: readonly number[];
  /** [1, rows, taps · hiddenSize], or undefined when no drafter has taps. */
  readonly taps: mx.MxArray | undefined;
}

/** Verifies drafts after the unread tokens. Afterwards the target's caches hold all rows. */
export async function verifyRound(start: RoundStart, drafted: Drafted): Promise<VerifiedRound> {
  const { memory, unread, sampler, at, watch } = start;
  const { target, caches, taps } = memory;
  const { tokens: drafts } = drafted;
  const verified = scope(() => {
    const rows = unread.length + drafts.length;
    const block = tokenArray([...unread, ...drafts], target.config.vocabSize);
    const { hidden, taps: tapped } = target.forward(block, caches, taps);
    const judging = unread.length > 1 ? mx.slice(hidden, 1, unread.length - 1, rows) : hidden;
    const judged = sampler.judge(target.logits(judging), drafted, at);
    watch.built();
    return { judged, taps: tapped };
  });
  // What earlier rounds showed the drafters too: who is never asked would pile it up.
  await settle(verified, memory.arrays());
  const verdict = verdictOf(verified.judged.read(), drafts);
  dispose(verified.judged);
  return { ...verdict, drafts, taps: verified.taps };
}

/** While the logits of the rows are there. */
export function verdictOf({ tokenAt, logprobsAt }: TargetRows, drafts: readonly number[]): Verdict {
  const acceptance = accept(drafts, tokenAt);
  if (!logprobsAt) return acceptance;
  return { ...acceptance, logprobs: acceptance.tokens.map((token, row) => logprobsAt(row, token)) };
}

/**
 * Keeps what was unread and the first `kept` - 1 drafts of a round in all memories and forgets the other rows, so
 * that the last kept token becomes the anchor (I1, I2). Frees the taps.
 */
export function commitRound(
  { memory, unread }: Pick<RoundStart, 'memory' | 'unread'>,
  { drafts, taps }: VerifiedRound,
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
