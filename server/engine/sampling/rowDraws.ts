// What the rows of a pass are drawn from and by which chances: the chain, with the history that each row has. Pure.
import { chancesAt } from './chances';
import type { Draws } from './judgeDrafts';
import type { LogitRow } from './logitRow';
import { occurrences } from './penalised';
import { processDraftRow, processRow } from './processRow';
import type { Place } from './sampler';
import type { Sampling } from './sampling';

/** Of the target's logits, whose first row stands at `at`. */
export function targetRowDraws(rows: readonly LogitRow[], at: Place, sampling: Sampling): Draws {
  return rowDraws(processRow, rows, at, sampling);
}

/** Of a drafter's. */
export function draftRowDraws(rows: readonly LogitRow[], at: Place, sampling: Sampling): Draws {
  return rowDraws(processDraftRow, rows, at, sampling);
}

function rowDraws(
  process: typeof processRow,
  rows: readonly LogitRow[],
  { history, position }: Place,
  sampling: Sampling,
): Draws {
  return {
    from: (row, drafts) =>
      process(rowOf(rows, row), occurrences(sampling, history, drafts.slice(0, row)), sampling),
    chances: (row) => chancesAt(sampling.seed, position + row),
  };
}

export function rowOf(rows: readonly LogitRow[], row: number): LogitRow {
  const found = rows[row];
  if (found) return found;
  throw new RangeError(`Expected more than ${String(row)} rows of logits, got ${String(rows.length)}`);
}
