// The sampler for a request: the greedy one, or the whole chain of penalties, truncation and random draws, the same for
// plain steps, target rows and draft rows.
import type { ProposedLogits } from '../../models/drafters/drafter';
import * as mx from '../../models/mlx/ops';
import { biased, drawnChain } from './drawnChain';
import { candidateConfidence, greedySampler, selectorGains, tellingGreedySampler } from './greedySampler';
import { occurrences, tokenLogprobs } from './processRow';
import { readRows, requireFinite, type LogitRow, type RowWishes } from './readRows';
import { DRAFTED_FROM, drawDrafts, rowDraws, type RowDraws } from './rowDraws';
import type { Drafted, Pending, Place, Sampler, TargetRows } from './sampler';
import { drawsDrafts, isBareGreedy, penalises, truncates, type Sampling } from '../request/sampling';
import { certain, draw, probabilityOf, residual } from './distribution';

/** More than top-k requires: nearly always all that matters of a distribution over code. */
const LARGEST = 48;
/** With more biases, the whole row gets them where it is: to read thousands of numbers for each row holds everybody up. */
const MOST_NAMED = 512;
/**
 * `maskTokenId` of the drafter is an untrained row of the vocabulary, which might be drawn. `tells` is
 * `tellsProbabilities` of the request.
 */
export function samplerOf(asked: Sampling, maskTokenId?: number, tells = false): Sampler {
  if (isBareGreedy(asked)) return tells ? tellingGreedySampler : greedySampler;
  const forbidden = [...asked.forbiddenTokens, ...(maskTokenId === undefined ? [] : [maskTokenId])];
  const isLong = asked.logitBias.length > MOST_NAMED;
  const logitBias = isLong ? [] : asked.logitBias;
  const sampling = { ...asked, forbiddenTokens: [...new Set(forbidden)], logitBias };
  const lifted = (logits: mx.MxArray): mx.MxArray => (isLong ? biased(logits, asked) : logits);
  const drawn = drawsDrafts(sampling);
  return {
    drawsDrafts: drawn,
    verify(logits, drafted, at) {
      const { arrays, read } = readRows(lifted(logits), targetWishes(drafted, at, sampling));
      const rows = () => {
        const all = read();
        requireFinite(all.map(({ logits: known }) => Math.max(...known)));
        return targetRows(all, drafted, at, sampling);
      };
      return { arrays, read: rows };
    },
    // The most probable token is the most likely to match what the target draws.
    sample(proposed, at) {
      if (!drawn) return greedySampler.sample(proposed, at);
      if ('draft' in proposed) return drawnChain(proposed, at, { ...sampling, logitBias: asked.logitBias });
      return drawnPick({ ...proposed, logits: lifted(proposed.logits) }, at, sampling);
    },
  };
}

/** The largest logits that the chain will need as a rule, and the totals that it cannot do without. */
function targetWishes({ tokens, distributions = [] }: Drafted, at: Place, sampling: Sampling): RowWishes {
  const { temperature, topK, topP, logprobs, forbiddenTokens, logitBias } = sampling;
  const bare = topP < 1 || logprobs !== undefined ? [1] : [];
  const tempered = temperature > 0 && !truncates(sampling) ? [temperature] : [];
  const drawn = drawsDrafts(sampling);
  return {
    largest: LARGEST + Math.max(topK, logprobs ?? 0) + forbiddenTokens.length + logitBias.length,
    temperatures: [...new Set([...bare, ...tempered])],
    // For drafts that were drawn, every token that each was drawn from.
    named: Array.from({ length: tokens.length + 1 }, (_, row) => {
      const token = tokens[row];
      const own = !drawn || token === undefined ? [] : (distributions[row]?.tokens ?? [token]);
      return [...namedTokens(at, tokens.slice(0, row), sampling), ...own];
    }),
  };
}

/**
 * Ids that a row has to know: whatever a penalty, a bias or a ban may affect. Nothing else of the drafts: which tokens are
 * known decides which one a random number selects, and that must not depend on how a text was drafted.
 */
function namedTokens({ history }: Place, drafts: readonly number[], sampling: Sampling): readonly number[] {
  const window = penalises(sampling) ? occurrences(sampling, history, drafts).keys() : [];
  const biased = sampling.logitBias.map(([token]) => token);
  return [...new Set([...window, ...biased, ...sampling.forbiddenTokens])];
}

function targetRows(rows: readonly LogitRow[], drafted: Drafted, at: Place, sampling: Sampling): TargetRows {
  const rowAt = (row: number): LogitRow => rowOf(rows, row);
  const tokenAt = judgeDrafts(drafted, rowDraws(rowAt, at, sampling), sampling);
  if (sampling.logprobs === undefined) return { tokenAt };
  const logprobsAt: TargetRows['logprobsAt'] = (row, token) => {
    const counts = occurrences(sampling, at.history, drafted.tokens.slice(0, row));
    return tokenLogprobs(token, rowAt(row), counts, sampling);
  };
  return { tokenAt, logprobsAt };
}

function drawnPick({ logits, selector }: ProposedLogits, at: Place, sampling: Sampling): Pending<Drafted> {
  const count = logits.shape[1] ?? 0;
  const named = namedTokens(at, [], sampling);
  const { arrays, read } = readRows(logits, {
    largest:
      (selector?.candidates ?? DRAFTED_FROM) + sampling.forbiddenTokens.length + sampling.logitBias.length,
    named: Array<readonly number[]>(count).fill(named),
  });
  const gains = selector && mx.reshape(selectorGains(selector, arrays.ids), -1);
  const picked = (): Drafted => {
    const rows = read();
    const gainsOf = gains && gainsAmong(mx.rows(arrays.ids), mx.numbers(gains));
    const draftRow = (row: number, drafts: readonly number[]): LogitRow => {
      const known = rowOf(rows, row);
      const candidates = selector ? largest(known, selector.candidates, sampling) : known;
      return gained(candidates, gainsOf?.(row, drafts) ?? new Map<number, number>());
    };
    const logConfidence = selector && candidateConfidence(selector, arrays.values);
    return { ...drawDrafts(count, rowDraws(draftRow, at, sampling)), logConfidence };
  };
  return { arrays: { ...arrays, gains }, read: picked };
}

/** What tokens of a row gain after these drafts, one for each row before it. */
type Gains = (row: number, drafts: readonly number[]) => ReadonlyMap<number, number>;

/**
 * The selector's gains `values` [rows · n · n] among the largest logits of each row, whose `ids` are [rows, n]. A draft
 * that was not among the candidates of its row adds nothing to the next row.
 */
function gainsAmong(ids: readonly (readonly number[])[], values: readonly number[]): Gains {
  return (row, drafts) => {
    const candidates = ids[row] ?? [];
    const before = row === 0 ? 0 : (ids[row - 1]?.indexOf(drafts[row - 1] ?? -1) ?? -1);
    if (before < 0) return new Map();
    const start = (row * candidates.length + before) * candidates.length;
    return new Map(candidates.map((token, i) => [token, values[start + i] ?? 0]));
  };
}

/** The row with so many of its most probable tokens that may be drawn, as a selector knows no others. */
function largest(row: LogitRow, count: number, { forbiddenTokens, logitBias }: Sampling): LogitRow {
  const biases = new Map(logitBias);
  const best = row.tokens
    .map((token, i) => ({
      token,
      logit: row.logits[i] ?? 0,
      rank: (row.logits[i] ?? 0) + (biases.get(token) ?? 0),
    }))
    .filter(({ token }) => !forbiddenTokens.includes(token))
    .sort((a, b) => b.rank - a.rank)
    .slice(0, count)
    .sort((a, b) => a.token - b.token);
  return { ...row, tokens: best.map(({ token }) => token), logits: best.map(({ logit }) => logit) };
}

/** As if only the known tokens existed: drafts may be drawn from anything. */
function gained(row: LogitRow, gains: ReadonlyMap<number, number>): LogitRow {
  const logits = row.logits.map((logit, i) => logit + (gains.get(row.tokens[i] ?? -1) ?? 0));
  return { ...row, logits, floor: -Infinity };
}

function rowOf(rows: readonly LogitRow[], row: number): LogitRow {
  const found = rows[row];
  if (found) return found;
  throw new RangeError(`Expected more than ${String(row)} rows of logits, got ${String(rows.length)}`);
}

/**
 * Whether drafts stay: by the target's own choice, or by rejection sampling (Leviathan et al., Chen et al.), which keeps the
 * target's distribution. `target` has a row for each draft and one more.
 */
function judgeDrafts(
  { tokens, distributions }: Drafted,
  target: RowDraws,
  sampling: Sampling,
): TargetRows['tokenAt'] {
  return (row) => {
    const [p, rng, draft] = [target.from(row, tokens), target.rng(row), tokens[row]];
    if (draft === undefined || !drawsDrafts(sampling)) return draw(p, rng.token);
    // If the draft was not drawn, all probability is on it.
    const q = distributions?.[row] ?? certain(draft);
    if (rng.accept * probabilityOf(q, draft) < probabilityOf(p, draft)) return draft;
    // Never the refused draft, unless rounding leaves nothing of the residual: then p and q are the same, and to go
    // on behind the draft is right too.
    return draw(residual(p, q), rng.token);
  };
}
