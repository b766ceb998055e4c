// What the rows of a pass are drawn from and by which chances: the chain, with the history that each row has. Pure.
import { chancesAt } from './chances';
import { gained, type Gains } from './gains';
import type { Draws } from './judgeDrafts';
import type { LogitRow } from './logitRow';
import { occurrences } from './penalised';
import { processDraftRow, processRow } from './processRow';
import type { Place } from './sampler';
import type { Sampling } from './sampling';

/** Of the target's logits, whose first row stands at `at`. */
export function targetRowDraws(rows: readonly LogitRow[], at: Place, sampling: Sampling): Draws {
  return rowDraws(processRow, (row) => rowOf(rows, row), at, sampling);
}

/** Of a drafter's, with the gains of its selector if it has one. */
export function draftRowDraws(
  rows: readonly LogitRow[],
  at: Place,
  sampling: Sampling,
  gains?: Gains,
): Draws {
  const behind: RowBehind = (row, drafts) =>
    gains ? gained(rowOf(rows, row), gains(row, drafts)) : rowOf(rows, row);
  return rowDraws(processDraftRow, behind, at, sampling);
}

type RowBehind = (row: number, drafts: readonly number[]) => LogitRow;

function rowDraws(
  process: typeof processRow,
  behind: RowBehind,
  { history, position }: Place,
  sampling: Sampling,
): Draws {
  return {
    from: (row, drafts) =>
      process(behind(row, drafts), occurrences(sampling, history, drafts.slice(0, row)), sampling),
    chances: (row) => chancesAt(sampling.seed, position + row),
  };
}

export function rowOf(rows: readonly LogitRow[], row: number): LogitRow {
  const found = rows[row];
  if (found) return found;
  throw new RangeError(`Expected more than ${String(row)} rows of logits, got ${String(rows.length)}`);
}
