// Rows of statistics: their history, and which of them count as requests of the user.
import type { StatsRow } from '../../server/protocol/messages';

const MAX_ROWS = 100;

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
