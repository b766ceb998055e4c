// Formats the statistics of one request as a table for users.
import { rates, type RequestStats } from '../engine/request/stats';
import type { SamplingOptions } from '../engine/request/sampling';
import { formatSize } from '../rules/formatNumber';
import { table } from './table';

/** Returns the table. `acceptance` is shown next to the seed if drafts were on and tokens were sampled. */
export function statsTable(
  stats: RequestStats<null>,
  { acceptance = 'match' }: SamplingOptions = {},
): string {
  const { acceptedByPosition, draftedByPosition, mismatchesByPosition: mismatches } = stats;
  const { speculationOff, seed } = stats;
  const { tokensPerRound, decodeTokensPerSecond, endToEndTokensPerSecond } = rates(stats);
  const rounds = `${valueText(stats.rounds)} round${stats.rounds === 1 ? '' : 's'}`;
  const speed = (rate: number | null): string => valueText(rate, (value) => `${value.toFixed(1)} tok/s`);
  const shares = acceptedByPosition.map((count, i) => percent(count, draftedByPosition[i] ?? 0));
  return table([
    ['prompt tokens', `${valueText(stats.promptTokens)} (${valueText(stats.reusedTokens)} reused)`],
    ['emitted tokens', `${valueText(stats.emittedTokens)} in ${rounds}`],
    ['tokens per round', valueText(tokensPerRound, (value) => value.toFixed(2))],
    [
      'drafts accepted',
      `${valueText(stats.acceptedTokens)} of ${valueText(stats.draftedTokens)}${bySource(stats)}`,
    ],
    ['accepted by position', shares.length > 0 ? shares.join(' ') : '-'],
    ['drafts accepted whole', fullyAcceptedText(stats)],
    ['first mismatch by position', mismatches.length > 0 ? mismatches.join(' ') : '-'],
    ['time to first token', valueText(stats.timeToFirstTokenMs, milliseconds)],
    [
      'prefill / draft / verify',
      [stats.prefillMs, stats.draftMs, stats.verifyMs]
        .map((value) => valueText(value, milliseconds))
        .join(' / '),
    ],
    ['decode speed', speed(decodeTokensPerSecond)],
    ['end-to-end speed', speed(endToEndTokensPerSecond)],
    ['peak memory', valueText(stats.peakMemoryBytes, formatSize)],
    ['finish reason', stats.finishReason],
    ['speculation', speculationText(stats)],
    ...(seed === undefined
      ? []
      : [['seed', speculationOff ? String(seed) : `${String(seed)} (${acceptance})`]]),
  ]);
}

/** Formats how many of the rounds with drafts accepted all their drafts. */
function fullyAcceptedText({ wholeRounds, draftedByPosition: [rounds] }: RequestStats<null>): string {
  if (wholeRounds === null) return 'unknown';
  return rounds === undefined ? '-' : `${String(wholeRounds)} of ${String(rounds)} rounds`;
}

function speculationText({ speculationOff, draftedTokens }: RequestStats<null>): string {
  if (draftedTokens === null) return 'unknown';
  return speculationOff === undefined ? 'on' : `off (${speculationOff})`;
}

/** Formats a number; "unknown" if the remote engine did not report it. */
function valueText(value: number | null, format: (value: number) => string = String): string {
  return value === null ? 'unknown' : format(value);
}

/** Returns accepted drafts by source, in brackets; empty if there are no sources. */
function bySource({ sources }: RequestStats<null>): string {
  const perSource = sources.map(
    ({ name, accepted, drafted }) => `${name} ${String(accepted)} of ${String(drafted)}`,
  );
  return perSource.length > 0 ? ` (${perSource.join(', ')})` : '';
}

function milliseconds(value: number): string {
  return `${value.toFixed(0)} ms`;
}

function percent(part: number, total: number): string {
  return total > 0 ? `${((100 * part) / total).toFixed(0)}%` : '-';
}
