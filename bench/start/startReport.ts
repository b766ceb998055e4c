// The figures of starts with the circumstances of the run, as JSON and as text.
import { median } from '../../server/rules/numbers';
import { table } from '../../server/cli/statsTable';
import type { MeasuredStart } from './measureStart';
import { benchMachine } from '../benchMachine';

export type StartReport = ReturnType<typeof startReport>;

/** The JSON of a run: medians, in milliseconds. */
export function startReport(example: string, starts: readonly MeasuredStart[]) {
  const medianOf = (which: keyof MeasuredStart): number =>
    Number(median(starts.map((start) => start[which])).toFixed(1));
  return {
    runs: starts.length,
    example,
    ...benchMachine(),
    firstSuggestionMs: medianOf('first'),
    reloadedSuggestionMs: medianOf('reloaded'),
  };
}

export function renderStart({ runs, example, firstSuggestionMs, reloadedSuggestionMs }: StartReport): string {
  const lines = table([
    ['first suggestion', `${firstSuggestionMs.toFixed(0)} ms`],
    ['after unloading', `${reloadedSuggestionMs.toFixed(0)} ms`],
  ]);
  return `Start (${example}, medians of ${String(runs)} runs)\n${lines}\n`;
}
