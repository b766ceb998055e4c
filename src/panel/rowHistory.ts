// The rows that the panel shows: the server's history joined with what came since, oldest first, each once.
// A server that was started again counts its ids anew, so a row is known by id and time.
import type { StatsRow } from '../../server/protocol';

const KEPT = 100;

export function rowHistory(rows: readonly StatsRow[], more: readonly StatsRow[]): StatsRow[] {
  const byKey = new Map([...rows, ...more].map((row) => [`${row.at}#${row.id}`, row]));
  return [...byKey.values()].sort((a, b) => a.at - b.at || a.id - b.id).slice(-KEPT);
}

/** What the person has waited for: a comparison runs it again, on purpose in two ways, and nobody asked for a prefetch. */
export function ownRequests(rows: readonly StatsRow[]): StatsRow[] {
  return rows.filter(({ kind }) => kind === 'inline' || kind === 'generate');
}
