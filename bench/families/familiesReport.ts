// The figures of the families with the circumstances of the run, as JSON and as text.
import { table } from '../../server/cli/statsTable';
import { ROWS, type FamilyResult } from './compareFamilies';
import { benchMachine } from '../benchMachine';

export type FamiliesReport = ReturnType<typeof familiesReport>;

/** The JSON of a run. */
export function familiesReport(repeats: number, families: readonly FamilyResult[]) {
  return {
    repeats,
    rows: ROWS,
    ...benchMachine(),
    families,
  };
}

export function renderFamilies({ repeats, rows, families }: FamiliesReport): string {
  const heads = rows.map((count) => (count === 1 ? '1 row' : `${String(count)} rows`));
  const lines = table([
    ['family', ...heads, ...heads.map((head) => `${head} / dense`), 'parameters', 'size'],
    ...families.map(({ name, size, parameters, ms, overDense }) => [
      name,
      ...ms.map((each) => `${each.toFixed(1)} ms`),
      ...overDense.map((ratio) => ratio.toFixed(2)),
      `${(parameters / 1e6).toFixed(0)} M`,
      size,
    ]),
  ]);
  return `Families (random weights, ${String(repeats)} repeats)\n${lines}\n`;
}
