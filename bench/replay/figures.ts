// The figures of a replay, from its requests, answers and counters. Null where there is nothing to measure.
import type { RequestStats } from '../../server/engine/request/stats';
import type { LocalRow } from '../../server/protocol/messages';
import { CASES, judged, reuseRate, type Case, type Judged } from './cases';
import { percentiles } from './percentiles';
import type { Played } from './typist';

export type Figures = ReturnType<typeof figures>;

/** Times in milliseconds. */
export function figures(played: Played) {
  const requests = judged(played.asked);
  const shown = requests.filter(({ ending }) => ending === 'shown');
  const cases = Object.fromEntries(
    CASES.map((name) => [name, caseFigures(shown.filter((each) => each.case === name))]),
  ) as Record<Case, ReturnType<typeof caseFigures>>;
  const cancelled = requests.filter(({ ending }) => ending === 'cancelled');
  const cancel = percentiles(cancelled.filter(wasBrokenOff).map(({ asked }) => asked.cancelMs ?? 0));
  const inline = statsOf(played.rows, 'inline');
  const prefetch = statsOf(played.rows, 'prefetch');
  const waits = percentiles(inline.filter(({ emittedTokens }) => emittedTokens > 0).map(waitMs));
  const outside = percentiles(shown.filter(({ asked }) => asked.rows.length > 0).map(outsideMs));
  const computed = shown.filter(({ asked: { text = '', rows } }) => text.includes('\n') && rows.length > 0);
  const firstLines = percentiles(computed.map(({ asked }) => asked.firstMs));
  const offers = shown.filter(({ asked }) => asked.isRight !== undefined);
  const right = offers.filter(({ asked }) => asked.isRight).length;
  const perCharacter = (stats: readonly RequestStats[]): number | null =>
    ratio(sum(stats, engineMs), played.typedCharacters);
  return {
    cases,
    /** Of suggestions of several lines that were computed: until the first line can be shown. */
    firstLines,
    firstLineOverWhole: ratio(firstLines.p50, percentiles(computed.map(({ asked }) => asked.ms)).p50),
    requests: requests.length,
    shown: shown.length,
    nothing: requests.filter(({ ending }) => ending === 'nothing').length,
    cancelled: cancelled.length,
    shownRate: ratio(shown.length, requests.length),
    /** Suggestions that were not on screen already. */
    offered: offers.length,
    right,
    rightRate: ratio(right, offers.length),
    brokenOff: cancel.count,
    cancelMsP50: cancel.p50,
    cancelMsP95: cancel.p95,
    waitMsP50: waits.p50,
    waitMsP95: waits.p95,
    outsideEngineMsP50: outside.p50,
    outsideEngineMsP95: outside.p95,
    engineMsPerCharacter: perCharacter([...inline, ...prefetch]),
    engineMsPerCharacterWithoutPrefetch: perCharacter(inline),
    reuseRate: inline.length > 0 ? reuseRate(inline) : null,
    typedThroughP95: cases.typedThrough.p95,
    warmOverCold: ratio(cases.warmSingleLine.p50, cases.coldFile.p50),
    coldOverWarmPrefill: coldOverWarmPrefill(requests),
    decodes: inline.length,
    prefetches: prefetch.length,
    typedCharacters: played.typedCharacters,
    accepts: played.accepts,
    acceptedCharacters: played.acceptedCharacters,
    seconds: played.seconds,
    interrupted: played.interrupted,
  };
}

/** With the share of the prompt tokens of these requests that was reused. */
function caseFigures(requests: readonly Judged[]) {
  const stats = requests.flatMap(({ asked }) => asked.rows.map((row) => row.stats));
  return {
    ...percentiles(requests.map(({ asked }) => asked.ms)),
    reuseRate: stats.length > 0 ? reuseRate(stats) : null,
  };
}

/** The engine was working on it; otherwise there was nothing to cancel. */
function wasBrokenOff({ asked }: Judged): boolean {
  return asked.rows.some(
    ({ stats: { finishReason } }) => finishReason === 'cancelled' || finishReason === 'superseded',
  );
}

function engineMs({ prefillMs, decodeMs }: RequestStats): number {
  return prefillMs + decodeMs;
}

/** The time of a suggestion outside its own decodes: a running step, messages, prompt and filters. */
function outsideMs({ asked: { ms, rows } }: Judged): number {
  return Math.max(0, ms - sum(rows, ({ stats }) => engineMs(stats)));
}

/** From the start of a decode to its first work: the previous step had to end. */
function waitMs({ timeToFirstTokenMs, prefillMs }: RequestStats): number {
  return Math.max(0, timeToFirstTokenMs - prefillMs);
}

/** Mean number of prompt tokens to read, of cold requests over warm ones, cancelled ones included. */
function coldOverWarmPrefill(requests: readonly Judged[]): number | null {
  const mean = (cases: readonly Case[]): number | null => {
    const rows = requests.filter((each) => cases.includes(each.case)).flatMap(({ asked }) => asked.rows);
    return ratio(
      sum(rows, ({ stats }) => stats.promptTokens - stats.reusedTokens),
      rows.length,
    );
  };
  return ratio(mean(['coldFile']), mean(['warmSingleLine', 'warmMultiLine']));
}

function statsOf(rows: readonly LocalRow[], kind: LocalRow['kind']): RequestStats[] {
  return rows.filter((row) => row.kind === kind).map(({ stats }) => stats);
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}

function ratio(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}
