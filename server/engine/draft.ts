// Asks one drafter for a draft and evaluates what it proposes. Knows neither the target's verdict nor how long a
// draft should be.
import type { DraftState } from '../models/drafter';
import { dispose, scope, settle } from '../models/memory';
import * as mx from '../models/ops';
import type { DecodeMemory } from './decodeMemory';
import type { Stopwatch } from './stopwatch';

export interface Draft {
  /** Index of the drafter in the memory; undefined when nobody was asked. */
  readonly drafter: number | undefined;
  readonly tokens: readonly number[];
  /** How sure each token is, on the drafter's own scale; larger is surer. */
  readonly evidence: readonly number[];
}

export const NO_DRAFT: Draft = { drafter: undefined, tokens: [], evidence: [] };

/** At most `count` tokens after `anchor`; the memory stays as it is. */
export async function draftWith(
  memory: DecodeMemory,
  drafter: number,
  anchor: number,
  count: number,
  watch: Stopwatch,
): Promise<Draft> {
  const state = memory.drafts[drafter];
  if (state === undefined || count <= 0) return NO_DRAFT;
  const proposal = scope(() => {
    const proposed = propose(state, anchor, count);
    watch.built();
    return proposed;
  });
  if (!('best' in proposal)) return { drafter, evidence: [], ...proposal };
  await settle(proposal, state.arrays());
  const [tokens, evidence] = [mx.numbers(proposal.best), mx.numbers(proposal.sureness)];
  dispose(proposal);
  return { drafter, tokens, evidence };
}

/** Of logits the best token of each row, and the logarithm of its probability. */
function propose(state: DraftState, anchor: number, count: number) {
  const proposed = state.propose(anchor, count);
  return 'logits' in proposed ? leaders(proposed.logits) : proposed;
}

/** [1, rows, vocabulary] to the best token and how sure it is in each row, [rows]. */
function leaders(logits: mx.MxArray): { best: mx.MxArray; sureness: mx.MxArray } {
  return { best: mx.reshape(mx.argmax(logits), -1), sureness: mx.reshape(mx.topLogProbability(logits), -1) };
}
