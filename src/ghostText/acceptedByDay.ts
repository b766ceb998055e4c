// Accepted suggestions by day and language: only counts, stored on this machine, for the statistics panel.
import type { Memento } from 'vscode';

const STORAGE_KEY = 'flashline.acceptedByDay';
const DAYS_KEPT = 14;

/** Counts by language id, by local date such as 2026-03-09. */
export type AcceptedByDay = Readonly<Record<string, Readonly<Record<string, number>>>>;

export class DailyAcceptance {
  constructor(private readonly memory: Memento) {}

  /** Counts of all windows, oldest day first. */
  get days(): AcceptedByDay {
    return this.memory.get<AcceptedByDay>(STORAGE_KEY, {});
  }

  add(languageId: string, now = new Date()): void {
    const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
      .map((part) => String(part).padStart(2, '0'))
      .join('-');
    const counts = this.days[day] ?? {};
    const changed = { ...this.days, [day]: { ...counts, [languageId]: (counts[languageId] ?? 0) + 1 } };
    const kept = Object.entries(changed).sort(([a], [b]) => (a < b ? -1 : 1));
    void this.memory.update(STORAGE_KEY, Object.fromEntries(kept.slice(-DAYS_KEPT)));
  }
}
