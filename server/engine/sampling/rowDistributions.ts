// Distributions of the rows of one pass, with the random numbers to draw from them. Pure arithmetic.
import { draw, type Distribution } from './distribution';
import { positionRandom, type PositionRandom } from './positionRandom';
import { occurrences, processRow } from './processRow';
import type { LogitRow } from './readLogitRows';
import type { DraftedTokens, TokenContext } from './sampler';
import type { Sampling } from '../request/sampling';

/**
 * Number of most probable tokens that a draft is drawn from: few enough that the target reports its own logits for all
 * of them. Tokens with a penalty or a bias are added, except in a chain (drawChain.ts).
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
    const counts = occurrences(this.sampling, this.context.history, drafts.slice(0, row));
    return processRow(this.logitRow(row, drafts), counts, this.sampling);
  }

  randomAt(row: number): PositionRandom {
    return positionRandom(this.sampling.seed, this.context.position + row);
  }

  /** Draws a draft for each of `count` rows. */
  drawDrafts(count: number): DraftedTokens {
    const tokens: number[] = [];
    const distributions: Distribution[] = [];
    for (let row = 0; row < count; row++) {
      const from = this.at(row, tokens);
      tokens.push(draw(from, this.randomAt(row).draft));
      distributions.push(from);
    }
    return { tokens, distributions };
  }
}
