// The report of starts with the circumstances of the run, as JSON and as text.
import { median } from '../../server/rules/median';
import { table } from '../../server/cli/table';
import type { MeasuredStart, MeasuredSuggestion, Parts } from './measureStart';
import { benchMachine } from '../benchMachine';

export type StartReport = ReturnType<typeof startReport>;

/** Returns the JSON of a run, with medians in milliseconds. */
export function startReport(example: string, starts: readonly MeasuredStart[]) {
  const first = starts.map((start) => start.first);
  const reloaded = starts.map((start) => start.reloaded);
  return {
    runs: starts.length,
    example,
    ...benchMachine(),
    firstSuggestionMs: medianOf(first.map(({ ms }) => ms)),
    reloadedSuggestionMs: medianOf(reloaded.map(({ ms }) => ms)),
    parts: { first: partMedians(first), reloaded: partMedians(reloaded) },
  };
}

export function renderStart({ runs, example, parts, ...report }: StartReport): string {
  const { firstSuggestionMs, reloadedSuggestionMs } = report;
  const names = [...new Set([...Object.keys(parts.first), ...Object.keys(parts.reloaded)])];
  const cell = (ms: number | undefined): string => (ms === undefined ? '-' : ms.toFixed(0));
  const lines = table([
    ['ms', 'first', 'after unloading'],
    ['suggestion', cell(firstSuggestionMs), cell(reloadedSuggestionMs)],
    ...names.map((name) => [`  ${name}`, cell(parts.first[name]), cell(parts.reloaded[name])]),
  ]);
  return `Start (${example}, medians of ${String(runs)} runs)\n${lines}\n`;
}

/** Returns the median of each part; a missing part counts as 0. */
function partMedians(suggestions: readonly MeasuredSuggestion[]): Parts {
  const names = new Set(suggestions.flatMap(({ parts }) => Object.keys(parts)));
  return Object.fromEntries(
    [...names].map((name) => [name, medianOf(suggestions.map(({ parts }) => parts[name] ?? 0))]),
  );
}

function medianOf(values: readonly number[]): number {
  return Number(median(values).toFixed(1));
}
