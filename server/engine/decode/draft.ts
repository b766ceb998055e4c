// Has one drafter make a draft and evaluates what it proposes. Knows neither the target's verdict nor how long a draft
// should be.
import type { Drafter, DraftState } from '../../models/drafters/drafter';
import { dispose, evaluate, scope } from '../../models/mlx/memory';
import * as mx from '../../models/mlx/ops';
import type { Drafted, Place, Sampler } from '../sampling/sampler';
import type { DecodeMemory } from './decodeMemory';

export interface Draft extends Drafted {
  /** Undefined when no drafter was used. */
  readonly drafter: Drafter | undefined;
  /** How sure the drafter is of each token: a probability, which is not that of being accepted. */
  readonly confidence: readonly number[];
}

export const NO_DRAFT: Draft = { drafter: undefined, tokens: [], confidence: [] };

/**
 * At most `count` tokens after the uncached ones, by the memory's drafter `index`; the memory stays as it is. A drafter
 * that needs the target's taps can only draft after a single uncached token. The confidence never depends on random
 * draws, so that a policy may go by it ("blind length").
 */
export async function draftWith(start: RoundStart, index: number, count: number): Promise<Draft> {
  const { memory, uncached, watch } = start;
  const [drafter, state] = [memory.drafters[index], memory.drafts[index]];
  if (drafter === undefined || state === undefined || count <= 0) return NO_DRAFT;
  if (uncached.length > 1 && drafter.taps.length > 0) return NO_DRAFT;
  const proposal = scope(() => {
    const proposed = propose(state, start, count);
    watch.built();
    return proposed;
  });
  if (!('picked' in proposal)) return { drafter, ...proposal };
  await evaluate(proposal, state.arrays());
  const { logConfidence = numbersOf(proposal.logConfidence), ...drafted } = proposal.picked.read();
  dispose(proposal);
  return { drafter, ...drafted, confidence: logConfidence.map(Math.exp) };
}

/** The first `length` of its tokens. There may be more distributions than tokens; the rest are ignored. */
export function shortened(draft: Draft, length: number): Draft {
  return { ...draft, tokens: draft.tokens.slice(0, length), confidence: draft.confidence.slice(0, length) };
}

/** Those before the first one that its drafter is less sure of than that: the rule that DSpark was published with. */
export function sureOnly(draft: Draft, least = 0): Draft {
  const unsure = draft.confidence.findIndex((each) => each < least);
  return unsure < 0 ? draft : shortened(draft, unsure);
}

function propose(state: DraftState, { uncached, sampler, at, related }: RoundStart, count: number) {
  const held = state.offset;
  if (uncached.length > 1) state.commit(uncached.slice(0, -1), undefined);
  const proposed = state.propose(uncached.at(-1) ?? 0, count, related);
  state.trimTo(held);
  if ('tokens' in proposed) return proposed;
  const picked = sampler.sample(proposed, at);
  // Where a chain or a selector's candidates tell enough, the sum over the vocabulary is not even computed.
  const isBare = 'logits' in proposed && !proposed.selector;
  return {
    picked,
    logConfidence: isBare ? mx.reshape(mx.topLogProbability(proposed.logits), -1) : undefined,
  };
}

function numbersOf(array: mx.MxArray | undefined): readonly number[] {
  return array ? mx.numbers(array) : [];
}

// What a round starts with, and its stopwatch.

/** What a round begins with. */
export interface RoundStart {
  readonly memory: DecodeMemory;
  /** The committed tokens that the memory does not hold: the anchor, and before it maybe the end of a prompt. */
  readonly uncached: readonly number[];
  readonly sampler: Sampler;
  /** Where the text stands after the anchor. */
  readonly at: Place;
  /** Text that the output may repeat, in addition to what is committed. */
  readonly related?: readonly number[] | undefined;
  /** Drafts end before the first one that its drafter is less sure of; absent lets all pass. */
  readonly confidenceThreshold?: number | undefined;
  /** Runs while the engine works, so not while the event loop has its turns. */
  readonly watch: Stopwatch;
}

/** The two times of a round: laps, and the part of them spent in building graphs in JavaScript. */
export class Stopwatch {
  #lapStart = performance.now();
  #buildStart = this.#lapStart;
  buildMs = 0;

  /** Ends a stretch of graph building. */
  built(): void {
    this.buildMs += performance.now() - this.#buildStart;
  }

  /** Milliseconds since the last lap. */
  lap(): number {
    const now = performance.now();
    const elapsed = now - this.#lapStart;
    this.#lapStart = this.#buildStart = now;
    return elapsed;
  }
}
