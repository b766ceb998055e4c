// The one chain from logits to a distribution, for plain steps, target rows and draft rows alike, in mlx-lm's order:
// forbidden tokens, penalties, top-p, min-p, top-k, temperature last. Pure arithmetic on one row.
import { certain, distribution, type Distribution } from './distribution';
import { completeRow, type LogitRow } from './logitRow';
import type { Occurrences } from './penalised';
import { truncates, type Sampling } from './sampling';
import { scoreRow, sureOnes, unknownWeight, type Candidate } from './scoreRow';

/** Candidates in falling order, and whether every token that has passed so far is among them. */
interface Kept {
  readonly candidates: readonly Candidate[];
  readonly complete: boolean;
}

/**
 * The distribution that the next token is drawn from. `row` must know every token that occurs or is forbidden. Reads
 * the rest of the row only where what is known of it does not settle the matter. Equal logits go in the order of
 * their ids. Throws a RangeError when everything is forbidden.
 */
export function processRow(row: LogitRow, counts: Occurrences, sampling: Sampling): Distribution {
  return processKnown(row, counts, sampling) ?? processWhole(row, counts, sampling);
}

/** The same as if nothing outside the known tokens existed: for drafts, which may be drawn from anything. */
export function processDraftRow(row: LogitRow, counts: Occurrences, sampling: Sampling): Distribution {
  return required(processKnown({ ...row, floor: -Infinity }, counts, sampling));
}

function processWhole(row: LogitRow, counts: Occurrences, sampling: Sampling): Distribution {
  return required(processKnown(completeRow(row), counts, sampling));
}

function required(result: Distribution | undefined): Distribution {
  if (result) return result;
  throw new RangeError('Expected a token that is not forbidden, got none');
}

function processKnown(row: LogitRow, counts: Occurrences, sampling: Sampling): Distribution | undefined {
  const scored = scoreRow(row, counts, sampling);
  const sure = sureOnes(scored, row);
  const [best] = sure;
  if (best === undefined) return undefined;
  if (sampling.temperature === 0) return certain(best.token);
  const kept = truncate({ candidates: sure, complete: row.floor === -Infinity }, row, scored, sampling);
  if (kept === undefined) return undefined;
  if (kept.complete) return tempered(kept.candidates, sampling.temperature);
  if (truncates(sampling)) return undefined;
  const weight = unknownWeight(row, scored, best.logit, sampling.temperature);
  if (weight === undefined) return undefined;
  return tempered(scored, sampling.temperature, { weight, whole: () => processWhole(row, counts, sampling) });
}

/** Undefined when the total that top-p needs is not known well enough. */
function truncate(
  all: Kept,
  row: LogitRow,
  scored: readonly Candidate[],
  sampling: Sampling,
): Kept | undefined {
  const { topP, minP, topK } = sampling;
  const best = all.candidates[0]?.logit ?? 0;
  let kept = all;
  if (topP < 1) {
    const unknown = unknownWeight(row, scored, best, 1);
    if (unknown === undefined) return undefined;
    kept = keepFirst(kept, nucleus(kept.candidates, scored, unknown, topP));
  }
  if (minP > 0) {
    const least = best + Math.log(minP);
    const first = kept.candidates.findIndex(({ logit }) => logit < least);
    if (first >= 0) kept = keepFirst(kept, first);
  }
  return topK > 0 ? keepFirst(kept, topK) : kept;
}

/** Nothing changes while there may be fewer. */
function keepFirst({ candidates, complete }: Kept, count: number): Kept {
  return count <= candidates.length
    ? { candidates: candidates.slice(0, count), complete: true }
    : { candidates, complete };
}

/** How many candidates it takes to reach `topP`; one more than there are when they do not reach it. */
function nucleus(
  candidates: readonly Candidate[],
  scored: readonly Candidate[],
  unknown: number,
  topP: number,
): number {
  const best = candidates[0]?.logit ?? 0;
  const weight = ({ logit }: Candidate): number => Math.exp(logit - best);
  const total = scored.reduce((sum, candidate) => sum + weight(candidate), unknown);
  let reached = 0;
  for (const [i, candidate] of candidates.entries()) {
    reached += weight(candidate) / total;
    if (reached >= topP) return i + 1;
  }
  return candidates.length + 1;
}

/** Listed in the order of their ids, so that rounding in close logits does not move what chance falls on. */
function tempered(
  candidates: readonly Candidate[],
  temperature: number,
  rest?: Parameters<typeof distribution>[2],
): Distribution {
  const best = Math.max(...candidates.map(({ logit }) => logit));
  const byToken = candidates.toSorted((a, b) => a.token - b.token);
  return distribution(
    byToken.map(({ token }) => token),
    byToken.map(({ logit }) => Math.exp((logit - best) / temperature)),
    rest,
  );
}
