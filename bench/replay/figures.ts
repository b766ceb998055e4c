// Computes the figures of a replay from its requests, answers and counters. A figure without data is null.
import type { RequestStats } from '../../server/engine/request/stats';
import type { LocalRow } from '../localRow';
import { CASES, judged, reuseRate, type Case, type Judged } from './cases';
import { percentiles } from './percentiles';
import type { Played } from './typist';

export type Figures = ReturnType<typeof figures>;

/** Returns the figures, with times in milliseconds. */
export function figures(played: Played) {
  const requests = judged(played.requests);
  const shown = requests.filter(({ ending }) => ending === 'shown');
  const cases = Object.fromEntries(
    CASES.map((name) => [name, caseFigures(shown.filter((request) => request.case === name))]),
  ) as Record<Case, ReturnType<typeof caseFigures>>;
  const cancelled = requests.filter(({ ending }) => ending === 'cancelled');
  const cancel = percentiles(cancelled.filter(wasBrokenOff).map(({ request }) => request.cancelMs ?? 0));
  const inline = statsOf(played.rows, 'inline');
  const prefetch = statsOf(played.rows, 'prefetch');
  const offers = shown.filter(({ request }) => request.isRight !== undefined);
  const right = offers.filter(({ request }) => request.isRight).length;
  return {
    cases,
    requests: requests.length,
    shown: shown.length,
    nothing: requests.filter(({ ending }) => ending === 'nothing').length,
    cancelled: cancelled.length,
    shownRate: ratio(shown.length, requests.length),
    /** Suggestions that were not visible before. */
    offered: offers.length,
    right,
    rightRate: ratio(right, offers.length),
    brokenOff: cancel.count,
    cancelMsP50: cancel.p50,
    cancelMsP95: cancel.p95,
    engineMsPerCharacter: ratio(engineMs([...inline, ...prefetch]), played.typedCharacters),
    reuseRate: inline.length > 0 ? reuseRate(inline) : null,
    decodes: inline.length,
    prefetches: prefetch.length,
    generates: statsOf(played.rows, 'generate').length,
    typedCharacters: played.typedCharacters,
    accepts: played.accepts,
    acceptedCharacters: played.acceptedCharacters,
    seconds: played.seconds,
    interrupted: played.interrupted,
  };
}

/** Returns percentiles of the times, and the share of reused prompt tokens. */
function caseFigures(requests: readonly Judged[]) {
  const stats = requests.flatMap(({ request }) => request.rows.map((row) => row.stats));
  return {
    ...percentiles(requests.map(({ request }) => request.ms)),
    reuseRate: stats.length > 0 ? reuseRate(stats) : null,
  };
}

/** Returns whether a cancellation ended a running decode; otherwise there was nothing to cancel. */
function wasBrokenOff({ request }: Judged): boolean {
  return request.rows.some(
    ({ stats: { finishReason } }) => finishReason === 'cancelled' || finishReason === 'superseded',
  );
}

function engineMs(stats: readonly RequestStats[]): number {
  return stats.reduce((sum, { prefillMs, decodeMs }) => sum + prefillMs + decodeMs, 0);
}

function statsOf(rows: readonly LocalRow[], kind: LocalRow['kind']): RequestStats[] {
  return rows.filter((row) => row.kind === kind).map(({ stats }) => stats);
}

function ratio(part: number, total: number): number | null {
  return total === 0 ? null : part / total;
}
