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
 * Σ exp((logit - reference) / temperature) over the tokens that are not known, from the total of the whole row at
 * that temperature. Undefined where the total was not asked for, or where so much of it was taken off by penalties
 * that the difference means nothing.
 */
export function unknownWeight(
  { known, floor, logTotal, logTotalTempered }: LogitRow,
  scored: readonly Candidate[],
  reference: number,
  temperature: number,
): number | undefined {
  if (floor === -Infinity) return 0;
  const total = temperature === 1 ? (logTotal ?? logTotalTempered) : logTotalTempered;
  if (total === undefined) return undefined;
  // Relative to the bare total, so that nothing overflows.
  const part = (logit: number): number => Math.exp(logit / temperature - total);
  const left = scored.reduce((sum, { logit }) => sum + part(logit), 0);
  if (left < TRUSTED) return undefined;
  const unknown = [...known.values()].reduce((rest, logit) => rest - part(logit), 1);
  return Math.max(0, unknown) * Math.exp(total - reference / temperature);
}
