// The statistics of one request, as a small table for people.
import { rates, type RequestStats } from '../engine/stats';
import type { SamplingOptions } from '../engine/sampling/sampling';
import { formatSize } from '../rules/format';

/** `acceptance` is how drafts were accepted, if there were any and tokens were drawn. */
export function statsTable(stats: RequestStats, { acceptance = 'match' }: SamplingOptions = {}): string {
  const { acceptedByPosition, draftedByPosition, speculationOff, seed } = stats;
  const { tokensPerRound, decodeTokensPerSecond, endToEndTokensPerSecond } = rates(stats);
  const rounds = `${String(stats.rounds)} round${stats.rounds === 1 ? '' : 's'}`;
  const shares = acceptedByPosition.map((count, i) => percent(count, draftedByPosition[i] ?? 0));
  return table([
    ['prompt tokens', `${String(stats.promptTokens)} (${String(stats.reusedTokens)} reused)`],
    ['emitted tokens', `${String(stats.emittedTokens)} in ${rounds}`],
    ['tokens per round', tokensPerRound.toFixed(2)],
    [
      'drafts accepted',
      `${String(stats.acceptedTokens)} of ${String(stats.draftedTokens)}${bySource(stats)}`,
    ],
    ['accepted by position', shares.length > 0 ? shares.join(' ') : '-'],
    ['time to first token', milliseconds(stats.timeToFirstTokenMs)],
    [
      'prefill / draft / verify',
      [stats.prefillMs, stats.draftMs, stats.verifyMs].map(milliseconds).join(' / '),
    ],
    ['decode speed', `${decodeTokensPerSecond.toFixed(1)} tok/s`],
    ['end-to-end speed', `${endToEndTokensPerSecond.toFixed(1)} tok/s`],
    ['peak memory', formatSize(stats.peakMemoryBytes)],
    ['finish reason', stats.finishReason],
    ['speculation', speculationOff === undefined ? 'on' : `off (${speculationOff})`],
    ...(seed === undefined
      ? []
      : [['seed', speculationOff ? String(seed) : `${String(seed)} (${acceptance})`]]),
  ]);
}

/** In brackets, when there are sources to tell apart. */
function bySource({ sources }: RequestStats): string {
  const each = sources.map(
    ({ name, accepted, drafted }) => `${name} ${String(accepted)} of ${String(drafted)}`,
  );
  return each.length > 0 ? ` (${each.join(', ')})` : '';
}

/** Rows of cells, the columns aligned. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return rows.map((row) => `  ${line(row).trimEnd()}`).join('\n');
}

function milliseconds(value: number): string {
  return `${value.toFixed(0)} ms`;
}

function percent(part: number, whole: number): string {
  return whole > 0 ? `${((100 * part) / whole).toFixed(0)}%` : '-';
}
