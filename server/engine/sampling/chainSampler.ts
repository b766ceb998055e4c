// Tokens by the whole chain: penalties, truncation, chance. One chain for plain steps, target rows and draft rows alike;
// only what the chances of a position are used for differs between the two ways to accept drafts.
import type { ProposedLogits } from '../../models/drafter';
import * as mx from '../../models/ops';
import { drawDrafts, judgeDrafts } from './judgeDrafts';
import { candidateConfidence } from './candidateConfidence';
import { gainArray, gainsAmong } from './gains';
import { greedySampler } from './greedySampler';
import type { LogitRow } from './logitRow';
import { occurrences } from './penalised';
import { readLargest, readRows, rowArrays, type RowWishes } from './readRows';
import { draftRowDraws, rowOf, targetRowDraws } from './rowDraws';
import { drawsDrafts, penalises, truncates, type Sampling } from './sampling';
import type { Drafted, Pending, Picked, Place, Sampler, TargetRows } from './sampler';
import { tokenLogprobs } from './tokenLogprobs';

/** Beside what top-k asks for: nearly always all that matters of a distribution over code. */
const LARGEST = 48;
/** A draft is drawn from so few tokens that the target can be asked for all of them. */
const DRAFTED_FROM = 16;

export function chainSampler(sampling: Sampling): Sampler {
  const chain = new Chain(sampling);
  const drawn = drawsDrafts(sampling);
  return {
    drawsDrafts: drawn,
    judge: (logits, drafted, at) => chain.judge(logits, drafted, at),
    // What the target draws itself is matched best by what is most probable.
    pick: (proposed, at) => (drawn ? chain.pick(proposed, at) : greedySampler.pick(proposed, at)),
  };
}

class Chain {
  constructor(private readonly sampling: Sampling) {}

  judge(logits: mx.MxArray, drafted: Drafted, at: Place): Pending<TargetRows> {
    const named = this.#namedByRow(drafted, at);
    const wishes = targetWishes(this.sampling);
    const arrays = rowArrays({ logits }, named, wishes);
    return { arrays, read: () => this.#targetRows(readRows(arrays, named, wishes), drafted, at) };
  }

  pick(proposed: ProposedLogits, at: Place): Pending<Picked> {
    const { logits, columns, selector } = proposed;
    const rows = logits.shape[1] ?? 0;
    // What cannot be drafted needs neither penalty nor ban.
    const possible = this.#named(at, []).filter((token) => !columns || columns.columnOf(token) !== undefined);
    const named = Array<readonly number[]>(rows).fill(possible);
    const wishes = {
      largest: (selector?.candidates ?? DRAFTED_FROM) + this.sampling.forbiddenTokens.length,
    };
    const known = rowArrays(proposed, named, wishes);
    const gains = selector && mx.reshape(gainArray(selector, known.ids), -1);
    const read = (): Picked => {
      const largest = readLargest(known);
      const gained = gains && gainsAmong(largest.ids, mx.numbers(gains));
      const draws = draftRowDraws(readRows(known, named, wishes, largest), at, this.sampling, gained);
      const confidence = selector && candidateConfidence(largest.values, selector.candidates);
      return { ...drawDrafts(rows, draws), confidence };
    };
    return { arrays: { ...known, gains }, read };
  }

  #targetRows(rows: readonly LogitRow[], drafted: Drafted, at: Place): TargetRows {
    const tokenAt = judgeDrafts(drafted, targetRowDraws(rows, at, this.sampling), this.sampling);
    const { logprobs: top } = this.sampling;
    if (top === undefined) return { tokenAt };
    const logprobsAt: TargetRows['logprobsAt'] = (row, token) => {
      const counts = occurrences(this.sampling, at.history, drafted.tokens.slice(0, row));
      return tokenLogprobs(token, top, rowOf(rows, row), counts, this.sampling);
    };
    return { tokenAt, logprobsAt };
  }

  /**
   * Ids that a row has to know: whatever a penalty or a ban may fall on. Nothing else of the drafts: which tokens are
   * known decides how chance falls on them, and that must not depend on how a text was drafted.
   */
  #named({ history }: Place, drafts: readonly number[]): readonly number[] {
    const window = penalises(this.sampling) ? occurrences(this.sampling, history, drafts).keys() : [];
    return [...new Set([...window, ...this.sampling.forbiddenTokens])];
  }

  /** The same and, for drafts that were drawn, all that each was drawn from; as many for each row. */
  #namedByRow({ tokens, distributions = [] }: Drafted, at: Place): (readonly number[])[] {
    const drawn = drawsDrafts(this.sampling);
    const named = Array.from({ length: tokens.length + 1 }, (_, row) => {
      const token = tokens[row];
      const own = !drawn || token === undefined ? [] : (distributions[row]?.tokens ?? [token]);
      return [...this.#named(at, tokens.slice(0, row)), ...own];
    });
    const widest = Math.max(...named.map((ids) => ids.length));
    return named.map((ids) => [...ids, ...Array<number>(widest - ids.length).fill(ids[0] ?? 0)]);
  }
}

/** The largest logits that the chain will need as a rule, and the totals that it cannot do without. */
function targetWishes(sampling: Sampling): RowWishes {
  const { temperature, topK, topP, logprobs, forbiddenTokens } = sampling;
  const bare = topP < 1 || logprobs !== undefined ? [1] : [];
  const tempered = temperature > 0 && !truncates(sampling) ? [temperature] : [];
  return {
    largest: LARGEST + Math.max(topK, logprobs ?? 0) + forbiddenTokens.length,
    temperatures: [...new Set([...bare, ...tempered])],
  };
}
