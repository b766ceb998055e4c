// Sections of the statistics panel that change with each request.
import type { StatsRow } from '../../server/protocol/messages';
import type { AcceptedByDay } from '../ghostText/acceptedByDay';
import { acceptedTable } from './acceptedTable';
import { explainedRow, explanation } from './explanation';
import { ledgerTable } from './ledger';
import { requestTable } from './requestTable';
import { roundList } from './roundList';

const MAX_ROWS = 100;

/** Returns the HTML of each section by the id of its element. */
export function sections(rows: readonly StatsRow[], accepted: AcceptedByDay = {}) {
  const userRows = rows.filter(isUserRequest);
  return {
    accepted: acceptedTable(accepted).text,
    requests: requestTable(rows).text,
    why: explanation(explainedRow(userRows)).text,
    'last-rounds': roundList(userRows.findLast(({ rounds }) => rounds.length > 0)).text,
    ledger: userRows.length === 0 ? '' : ledgerTable(userRows).text,
  };
}

/**
 * Joins two lists of rows, such as the server's history and later rows: the last MAX_ROWS, oldest first, without
 * duplicates. A restarted server counts its ids from the start, so a row is identified by id and time.
 */
export function rowHistory(rows: readonly StatsRow[], more: readonly StatsRow[]): StatsRow[] {
  const byKey = new Map([...rows, ...more].map((row) => [`${row.at}#${row.id}`, row]));
  return [...byKey.values()].sort((a, b) => a.at - b.at || a.id - b.id).slice(-MAX_ROWS);
}

/**
 * Returns whether a row counts as a request of the user. An alternative belongs to another request, a comparison
 * repeats one, and a prefetch precedes one.
 */
export function isUserRequest({ kind }: StatsRow): boolean {
  return kind === 'inline' || kind === 'nextEdit' || kind === 'generate';
}
