// The sections of the panel, which change with each request, by the id of the element that they fill, and the rows that
// they show. The page around them is page.ts.
import type { StatsRow } from '../../server/protocol';
import { formatMs, formatRate } from '../../server/rules/format';
import { t } from '../translate';
import { lineChart, positionBars } from './charts';
import { explainedRow, explanation } from './explanation';
import { ledgerTable } from './ledger';
import { roundList } from './roundList';
import { clock, requestTable } from './requestTable';

const KEPT = 100;

export function sections(rows: readonly StatsRow[]) {
  const own = rows.filter(isOwnRequest);
  const name = ({ at, file }: StatsRow): string => `${clock(at)} ${file}`;
  const points = (value: (row: StatsRow) => number | null) =>
    own.map((row) => ({ value: value(row) ?? 0, name: name(row) })).filter((point) => point.value > 0);
  // A request that ended with its first token has no decode speed.
  const speeds = points(({ rates }) => rates.decodeTokensPerSecond);
  const waits = points(({ stats }) => (stats.emittedTokens === 0 ? null : stats.timeToFirstTokenMs));
  const speed = lineChart({
    id: 'speed-chart',
    points: speeds,
    format: formatRate,
    caption: ({ latest, median }) => t('latest {0}, median {1}', latest, median),
    words: ({ latest, median, lowest, highest }) =>
      t(
        'Tokens per second of {0} requests, oldest first: latest {1}, median {2}, lowest {3}, highest {4}.',
        ...[speeds.length, latest, median, lowest, highest],
      ),
  });
  const latency = lineChart({
    id: 'latency-chart',
    points: waits,
    format: formatMs,
    caption: ({ latest, median, p95 }) =>
      t('latest {0}, median {1}, 95th percentile {2}', latest, median, p95),
    words: ({ latest, median, p95, highest }) =>
      t(
        'Time to the first token of {0} requests, oldest first: latest {1}, median {2}, 95th percentile {3}, highest {4}.',
        ...[waits.length, latest, median, p95, highest],
      ),
  });
  return {
    requests: requestTable(rows).text,
    speed: speed.text,
    latency: latency.text,
    positions: positionBars(own).text,
    why: explanation(explainedRow(own)).text,
    'last-rounds': roundList(own.findLast(({ rounds }) => rounds.length > 0)).text,
    ledger: own.length === 0 ? '' : ledgerTable(own).text,
  };
}

/**
 * The server's history joined with later rows, oldest first, without duplicates. A restarted server counts its ids from
 * the start, so a row is identified by id and time.
 */
export function rowHistory(rows: readonly StatsRow[], more: readonly StatsRow[]): StatsRow[] {
  const byKey = new Map([...rows, ...more].map((row) => [`${row.at}#${row.id}`, row]));
  return [...byKey.values()].sort((a, b) => a.at - b.at || a.id - b.id).slice(-KEPT);
}

/**
 * Whether the user asked for it: not a prefetch, not an alternative, which belongs to another request, and not a
 * comparison, which repeats one.
 */
export function isOwnRequest({ kind }: StatsRow): boolean {
  return kind === 'inline' || kind === 'generate';
}
