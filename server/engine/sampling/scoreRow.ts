// One row of logits after forbidden tokens and penalties, most probable first. Pure arithmetic.
import type { LogitRow } from './logitRow';
import { penalised, type Occurrences } from './penalised';
import type { Sampling } from './sampling';

export interface Candidate {
  readonly token: number;
  /** After the penalties. */
  readonly logit: number;
}

/** Below this part of the bare total, a sum is left to a difference of rounded numbers. */
const TRUSTED = 1e-2;

/** What is known of the row, in falling order; equal logits in the order of their ids. */
export function scoreRow({ known }: LogitRow, counts: Occurrences, sampling: Sampling): readonly Candidate[] {
  const forbidden = new Set(sampling.forbiddenTokens);
  return [...known]
    .filter(([token]) => !forbidden.has(token))
    .map(([token, logit]) => ({ token, logit: penalised(logit, counts.get(token) ?? 0, sampling) }))
    .sort((a, b) => b.logit - a.logit || a.token - b.token);
}

/**
 * The first of them that come before all tokens that are not known. At the floor itself there may be one of a lower
 * id; below it, where penalties have put a token, one that is more probable.
 */
export function sureOnes(scored: readonly Candidate[], { floor }: LogitRow): readonly Candidate[] {
  return floor === -Infinity ? scored : scored.filter(({ logit }) => logit > floor);
}

/** Σ exp(logit - reference) over the whole row; undefined where that of the tokens that are not known is. */
export function totalWeight(
  row: LogitRow,
  scored: readonly Candidate[],
  reference: number,
): number | undefined {
  const unknown = unknownWeight(row, scored, reference, 1);
  if (unknown === undefined) return undefined;
  return scored.reduce((sum, { logit }) => sum + Math.exp(logit - reference), unknown);
}

/**
 * Σ exp((logit - reference) / temperature) over the tokens that are not known, from the total of the whole row at
 * that temperature. Undefined where the total was not asked for, or where so much of it was taken off by penalties
 * that the difference means nothing.
 */
export function unknownWeight(
  { known, others, floor, logTotals }: LogitRow,
  scored: readonly Candidate[],
  reference: number,
  temperature: number,
): number | undefined {
  if (floor === -Infinity) return 0;
  const total = logTotals.get(temperature);
  // Float32 ends long before the lowest temperature.
  if (total === undefined || !Number.isFinite(total)) return undefined;
  // Relative to the bare total, so that nothing overflows.
  const part = (logit: number): number => Math.exp(logit / temperature - total);
  const left = scored.reduce((sum, { logit }) => sum + part(logit), 0);
  if (left < TRUSTED) return undefined;
  const difference = [...known.values()].reduce((rest, logit) => rest - part(logit), 1);
  // What rounding leaves of the difference is not to be more than the tokens can have.
  const unknown = Math.min(Math.max(0, difference), others * part(floor));
  return unknown * Math.exp(total - reference / temperature);
}
