// All parts of the panel that change with the requests, by the id of the element that they fill.
// The page around them is page.ts.
import type { StatsRow } from '../../server/protocol';
import { formatMs, formatRate } from '../../server/rules/format';
import type { Translate } from '../translate';
import { ledgerTable } from './ledgerTable';
import { lineChart } from './lineChart';
import { positionBars } from './positionBars';
import { roundList } from './roundList';
import { isOwnRequest } from './rowHistory';
import { clock, requestTable } from './requestTable';

export type SectionId = 'requests' | 'speed' | 'latency' | 'positions' | 'last-rounds' | 'ledger';

export function sections(rows: readonly StatsRow[], t: Translate): Readonly<Record<SectionId, string>> {
  const own = rows.filter(isOwnRequest);
  const names = (of: readonly StatsRow[]): string[] => of.map(({ at, file }) => `${clock(at)} ${file}`);
  // A request that ended with its first token has no decode speed.
  const decoded = own.filter(({ rates }) => rates.decodeTokensPerSecond > 0);
  const begun = own.filter(({ stats }) => stats.emittedTokens > 0);
  const speed = lineChart({
    id: 'speed-chart',
    values: decoded.map(({ rates }) => rates.decodeTokensPerSecond),
    names: names(decoded),
    format: formatRate,
    caption: ({ latest, median }) => t('latest {0}, median {1}', formatRate(latest), formatRate(median)),
    words: ({ latest, median, lowest, highest }) =>
      t(
        'Tokens per second of {0} requests, oldest first: latest {1}, median {2}, lowest {3}, highest {4}.',
        decoded.length,
        formatRate(latest),
        formatRate(median),
        formatRate(lowest),
        formatRate(highest),
      ),
  });
  const latency = lineChart({
    id: 'latency-chart',
    values: begun.map(({ stats }) => stats.timeToFirstTokenMs),
    names: names(begun),
    format: formatMs,
    caption: ({ latest, median, p95 }) =>
      t('latest {0}, median {1}, 95 %: {2}', formatMs(latest), formatMs(median), formatMs(p95)),
    words: ({ latest, median, p95, highest }) =>
      t(
        'Time to the first token of {0} requests, oldest first: latest {1}, median {2}, 95th percentile {3}, highest {4}.',
        begun.length,
        formatMs(latest),
        formatMs(median),
        formatMs(p95),
        formatMs(highest),
      ),
  });
  return {
    requests: requestTable(rows, t).text,
    speed: speed.text,
    latency: latency.text,
    positions: positionBars(own, t).text,
    'last-rounds': roundList(
      own.findLast(({ rounds }) => rounds.length > 0),
      t,
    ).text,
    ledger: own.length === 0 ? '' : ledgerTable(own, t).text,
  };
}
