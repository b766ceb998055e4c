// The rows that the panel shows: the server's history joined with what came since, oldest first, each once.
// A server that was started again counts its ids anew, so a row is known by id and time.
import type { StatsRow } from '../../server/protocol';

const KEPT = 100;

export function rowHistory(rows: readonly StatsRow[], more: readonly StatsRow[]): StatsRow[] {
  const byKey = new Map([...rows, ...more].map((row) => [`${row.at}#${row.id}`, row]));
  return [...byKey.values()].sort((a, b) => a.at - b.at || a.id - b.id).slice(-KEPT);
}

/**
 * Whether it is what a person has asked for: not a prefetch, nor an alternative, which comes with its request, and a
 * comparison runs another request again.
 */
export function isOwnRequest({ kind }: StatsRow): boolean {
  return kind === 'inline' || kind === 'generate';
}
