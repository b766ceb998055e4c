// The sampler of every request that is not plainly greedy: bans, biases, penalties, truncation and random draws. Plain
// steps, target rows and drawn drafts go through the same steps (processRow.ts; drawChain.ts where each row of drafts
// depends on the draft before it).
import type { ProposedChain, ProposedLogits } from '../../models/drafters/drafter';
import * as mx from '../../models/mlx/ops';
import { largestOf } from '../../rules/extremes';
import { drawsDrafts, penalises, truncates, type Sampling } from '../request/sampling';
import { certain, draw, probabilityOf, residual } from './distribution';
import { biased, drawChain } from './drawChain';
import { GreedySampler } from './greedySampler';
import { occurrences, tokenLogprobs } from './processRow';
import { readLogitRows, type LogitRow, type RowSelection } from './readLogitRows';
import { requireFinite } from './requireFinite';
import { MAX_DRAFT_CANDIDATES, RowDistributions } from './rowDistributions';
import { candidateConfidence, selectorGains } from './selectorCandidates';
import type { DraftedTokens, Pending, Sampler, TargetRows, TokenContext } from './sampler';

/**
 * Largest logits read of each row, in addition to those that options need: nearly always all that matters of a
 * distribution over code.
 */
const LOGITS_PER_ROW = 48;
/** Above this, biases are added on the device; reading thousands of named logits per row is slow. */
const MAX_NAMED_BIASES = 512;

export class SamplerChain implements Sampler {
  readonly drawsDrafts: boolean;
  /** The requested sampling, with the mask token forbidden and without the biases that are added on the device. */
  readonly #sampling: Sampling;
  readonly #hasDeviceBiases: boolean;

  /** `maskTokenId` of a drafter is an untrained row of the vocabulary and must never be drawn. */
  constructor(
    private readonly requested: Sampling,
    maskTokenId?: number,
  ) {
    const { forbiddenTokens, logitBias } = requested;
    const forbidden = new Set(
      maskTokenId === undefined ? forbiddenTokens : [...forbiddenTokens, maskTokenId],
    );
    this.#hasDeviceBiases = logitBias.length > MAX_NAMED_BIASES;
    this.#sampling = {
      ...requested,
      forbiddenTokens: [...forbidden],
      logitBias: this.#hasDeviceBiases ? [] : logitBias,
    };
    this.drawsDrafts = drawsDrafts(requested);
  }

  verify(logits: mx.MxArray, drafted: DraftedTokens, context: TokenContext): Pending<TargetRows> {
    const selection = this.#targetSelection(drafted, context);
    const { arrays, read } = readLogitRows(this.#withDeviceBiases(logits), selection);
    return {
      arrays,
      read: () => {
        const rows = read();
        requireFinite(rows.map(({ logits: values }) => largestOf(values)));
        return this.#judge(rows, drafted, context);
      },
    };
  }

  sample(proposed: ProposedLogits | ProposedChain, context: TokenContext): Pending<DraftedTokens> {
    // The most probable token is the most likely to match the token that the target draws.
    if (!this.drawsDrafts) return new GreedySampler().sample(proposed);
    if ('draft' in proposed) {
      const { logitBias } = this.requested;
      return drawChain(proposed, context, { ...this.#sampling, logitBias });
    }
    return this.#drawRows({ ...proposed, logits: this.#withDeviceBiases(proposed.logits) }, context);
  }

  #withDeviceBiases(logits: mx.MxArray): mx.MxArray {
    return this.#hasDeviceBiases ? biased(logits, this.requested) : logits;
  }

  /** Selects the logits that the chain usually needs and the totals that it always needs. */
  #targetSelection({ tokens, distributions = [] }: DraftedTokens, context: TokenContext): RowSelection {
    const sampling = this.#sampling;
    const { temperature, topK, topP, logprobs, forbiddenTokens, logitBias } = sampling;
    // Top-p and log-probabilities need the total of a row at temperature 1; draws without truncation need the total at
    // the temperature that they draw with.
    const temperatures = new Set<number>();
    if (topP < 1 || logprobs !== undefined) temperatures.add(1);
    if (temperature > 0 && !truncates(sampling)) temperatures.add(temperature);
    return {
      largest: LOGITS_PER_ROW + Math.max(topK, logprobs ?? 0) + forbiddenTokens.length + logitBias.length,
      temperatures: [...temperatures],
      // A drawn draft is judged by every token that it was drawn from.
      named: Array.from({ length: tokens.length + 1 }, (_, row) => {
        const token = tokens[row];
        const isDrawn = this.drawsDrafts && token !== undefined;
        const candidates = isDrawn ? (distributions[row]?.tokens ?? [token]) : [];
        return [...adjustedTokens(context, tokens.slice(0, row), sampling), ...candidates];
      }),
    };
  }

  #judge(rows: readonly LogitRow[], drafted: DraftedTokens, context: TokenContext): TargetRows {
    const sampling = this.#sampling;
    const target = new RowDistributions((row) => rowAt(rows, row), context, sampling);
    const tokenAt = (row: number): number =>
      this.drawsDrafts ? judgeByRejection(drafted, target, row) : drawToken(drafted, target, row);
    if (sampling.logprobs === undefined) return { tokenAt };
    const logprobsAt = (row: number, token: number) => {
      const counts = occurrences(sampling, context.history, drafted.tokens.slice(0, row));
      return tokenLogprobs(token, rowAt(rows, row), counts, sampling);
    };
    return { tokenAt, logprobsAt };
  }

  /** Draws drafts from rows of a drafter that do not depend on each other, or only through its selector. */
  #drawRows({ logits, selector }: ProposedLogits, context: TokenContext): Pending<DraftedTokens> {
    const sampling = this.#sampling;
    const { forbiddenTokens, logitBias } = sampling;
    const count = logits.shape[1] ?? 0;
    const candidateCount = selector?.candidates ?? MAX_DRAFT_CANDIDATES;
    const { arrays, read } = readLogitRows(logits, {
      largest: candidateCount + forbiddenTokens.length + logitBias.length,
      named: Array<readonly number[]>(count).fill(adjustedTokens(context, [], sampling)),
    });
    const gains = selector && mx.reshape(selectorGains(selector, arrays.ids), -1);
    const readDrafts = (): DraftedTokens => {
      const rows = read();
      const gainsAt = gains && gainsAmong(mx.rows(arrays.ids), mx.numbers(gains));
      const draftRow = (row: number, drafts: readonly number[]): LogitRow => {
        const candidates = rowAt(rows, row);
        const limited = selector ? bestCandidates(candidates, selector.candidates, sampling) : candidates;
        return addGains(limited, gainsAt?.(row, drafts) ?? new Map<number, number>());
      };
      const logConfidence = selector && candidateConfidence(selector, arrays.values);
      return { ...new RowDistributions(draftRow, context, sampling).drawDrafts(count), logConfidence };
    };
    return { arrays: { ...arrays, gains }, read: readDrafts };
  }
}

/**
 * Lists the tokens whose logits a penalty, a bias or a ban changes in the row after `drafts`. The draft that the row
 * judges is not among them: which token a random number selects depends on the set of known tokens, and that must not
 * depend on how the text was drafted.
 */
function adjustedTokens(
  { history }: TokenContext,
  drafts: readonly number[],
  sampling: Sampling,
): readonly number[] {
  const penalised = penalises(sampling) ? occurrences(sampling, history, drafts).keys() : [];
  const biasedTokens = sampling.logitBias.map(([token]) => token);
  return [...new Set([...penalised, ...biasedTokens, ...sampling.forbiddenTokens])];
}

/** Draws the target's own token, which the draft has to match. */
function drawToken({ tokens }: DraftedTokens, target: RowDistributions, row: number): number {
  return draw(target.at(row, tokens), target.randomAt(row).token);
}

/**
 * Accepts or replaces the draft of `row` by rejection sampling (Leviathan et al., Chen et al.), which keeps the
 * target's distribution. The row after the last draft draws the bonus token.
 */
function judgeByRejection(drafted: DraftedTokens, target: RowDistributions, row: number): number {
  const { tokens, distributions } = drafted;
  const draft = tokens[row];
  if (draft === undefined) return drawToken(drafted, target, row);
  const p = target.at(row, tokens);
  const random = target.randomAt(row);
  // A draft that was not drawn at random has the probability 1.
  const q = distributions?.[row] ?? certain(draft);
  if (random.accept * probabilityOf(q, draft) < probabilityOf(p, draft)) return draft;
  // Can return the rejected draft only if rounding leaves nothing of the residual. Then p equals q, so that is correct.
  return draw(residual(p, q), random.token);
}

/**
 * Returns a function that looks up a row's gains by token, given the drafts of the rows before it. `values` [rows · n ·
 * n] are the selector's gains among the candidates `ids` [rows, n]. After a draft that was not a candidate of its row,
 * no token gains.
 */
function gainsAmong(
  ids: readonly (readonly number[])[],
  values: readonly number[],
): (row: number, drafts: readonly number[]) => ReadonlyMap<number, number> {
  return (row, drafts) => {
    const candidates = ids[row] ?? [];
    const previous = row === 0 ? 0 : (ids[row - 1]?.indexOf(drafts[row - 1] ?? -1) ?? -1);
    if (previous < 0) return new Map();
    const start = (row * candidates.length + previous) * candidates.length;
    return new Map(candidates.map((token, i) => [token, values[start + i] ?? 0]));
  };
}

/** Limits the row to its `count` best tokens that are not forbidden, because a selector chooses among that many. */
function bestCandidates(row: LogitRow, count: number, { forbiddenTokens, logitBias }: Sampling): LogitRow {
  const biases = new Map(logitBias);
  const forbidden = new Set(forbiddenTokens);
  const best = row.tokens
    .map((token, i) => ({ token, logit: row.logits[i] ?? 0 }))
    .map((candidate) => ({ ...candidate, rank: candidate.logit + (biases.get(candidate.token) ?? 0) }))
    .filter(({ token }) => !forbidden.has(token))
    .sort((a, b) => b.rank - a.rank)
    .slice(0, count)
    .sort((a, b) => a.token - b.token);
  return { ...row, tokens: best.map(({ token }) => token), logits: best.map(({ logit }) => logit) };
}

/** Adds gains, and gives unknown tokens no probability: drafts can be drawn from any distribution. */
function addGains(row: LogitRow, gains: ReadonlyMap<number, number>): LogitRow {
  const logits = row.logits.map((logit, i) => logit + (gains.get(row.tokens[i] ?? -1) ?? 0));
  return { ...row, logits, floor: -Infinity };
}

function rowAt(rows: readonly LogitRow[], row: number): LogitRow {
  const found = rows[row];
  if (found) return found;
  throw new RangeError(`Expected more than ${String(row)} rows of logits, got ${String(rows.length)}`);
}
