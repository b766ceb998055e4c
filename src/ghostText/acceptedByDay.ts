// Accepted suggestions by day and language, for the statistics panel.

/** Number of days with accepted suggestions that are kept. */
const DAYS_KEPT = 14;

/** Counts of each local date, such as 2026-03-09, by language id. The oldest day comes first. */
export type AcceptedByDay = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Returns the counts with one more suggestion, and without the oldest day if there are too many. */
export function withAccepted(days: AcceptedByDay, languageId: string, now = new Date()): AcceptedByDay {
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
  const counts = days[day] ?? {};
  const changed = { ...days, [day]: { ...counts, [languageId]: (counts[languageId] ?? 0) + 1 } };
  const kept = Object.entries(changed).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(kept.slice(-DAYS_KEPT));
}
