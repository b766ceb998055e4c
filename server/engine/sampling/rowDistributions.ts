// Distributions of the rows of one pass, with the random numbers to draw from them. Pure arithmetic.
import { largestOf } from '../../rules/extremes';
import { certain, draw, type Distribution } from './distribution';
import { positionRandom, type PositionRandom } from './positionRandom';
import { occurrences, processRow } from './processRow';
import type { LogitRow } from './readLogitRows';
import type { DraftedTokens, TokenContext } from './sampler';
import type { Sampling } from '../request/sampling';

/**
 * Number of most probable tokens that a draft is drawn from: few enough to read the target's logits of all of them.
 * Tokens with a penalty or a bias are added, except in a chain (drawChain.ts).
 */
export const MAX_DRAFT_CANDIDATES = 16;

export class RowDistributions {
  /** `logitRow` returns the logits of a row, given one draft for each row before it. */
  constructor(
    private readonly logitRow: (row: number, drafts: readonly number[]) => LogitRow,
    private readonly context: TokenContext,
    private readonly sampling: Sampling,
  ) {}

  /** Returns the distribution of the row's token, given one draft for each row before it. */
  at(row: number, drafts: readonly number[]): Distribution {
    return this.#process(this.logitRow(row, drafts), drafts.slice(0, row));
  }

  #process(logitRow: LogitRow, drafts: readonly number[]): Distribution {
    return processRow(logitRow, occurrences(this.sampling, this.context.history, drafts), this.sampling);
  }

  randomAt(row: number): PositionRandom {
    return positionRandom(this.sampling.seed, this.context.position + row);
  }

  /**
   * Draws a draft for each of `count` rows. A row of a broken drafter, whose logits are not finite, gives an arbitrary
   * draft with probability 1, which the target judges like any other.
   */
  drawDrafts(count: number): DraftedTokens {
    const tokens: number[] = [];
    const distributions: Distribution[] = [];
    for (let row = 0; row < count; row++) {
      const logitRow = this.logitRow(row, tokens);
      // A finite best logit also excludes NaN among the others.
      const from = Number.isFinite(largestOf(logitRow.logits))
        ? this.#process(logitRow, tokens)
        : certain(logitRow.tokens[0] ?? 0);
      tokens.push(draw(from, this.randomAt(row).draft));
      distributions.push(from);
    }
    return { tokens, distributions };
  }
}
