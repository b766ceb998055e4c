// The sections of the panel, which change with each request, by the id of the element that they fill, and the rows that
// they show. The page around them is page.ts.
import type { StatsRow } from '../../server/protocol/messages';
import { explainedRow, explanation } from './explanation';
import { ledgerTable } from './ledger';
import { roundList } from './roundList';
import { requestTable } from './requestTable';

const KEPT = 100;

export function sections(rows: readonly StatsRow[]) {
  const own = rows.filter(isOwnRequest);
  return {
    requests: requestTable(rows).text,
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
