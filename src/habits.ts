// Habits: how many suggestions the person has kept in each language, and how many were expected. Only counts, stored on
// this machine; the server is told what follows from them.
import type * as vscode from 'vscode';
import { keepOffset, NO_HABIT, withOutcome, type KeepHabit } from '../server/rules/keepHabit';

const STORED = 'flashline.keepHabits';

export class Habits {
  constructor(
    private readonly memory: vscode.Memento,
    /** Called when an offset has changed. */
    private readonly onChange: () => void = () => undefined,
  ) {}

  /** By language id; those that are 0 are left out. */
  get offsets(): Readonly<Record<string, number>> {
    const offsets = Object.entries(this.#habits).map(([id, habit]) => [id, keepOffset(habit)] as const);
    return Object.fromEntries(offsets.filter(([, offset]) => offset !== 0));
  }

  /** What became of a suggestion that had this probability. */
  learn(languageId: string, probability: number, isKept: boolean): void {
    const habits = this.#habits;
    const before = habits[languageId] ?? NO_HABIT;
    const after = withOutcome(before, probability, isKept);
    void this.memory.update(STORED, { ...habits, [languageId]: after });
    if (keepOffset(after) !== keepOffset(before)) this.onChange();
  }

  /** What other versions have stored counts only where it is a habit. */
  get #habits(): Readonly<Record<string, KeepHabit>> {
    const stored = this.memory.get<Readonly<Record<string, unknown>>>(STORED) ?? {};
    return Object.fromEntries(
      Object.entries(stored).filter((entry): entry is [string, KeepHabit] => isHabit(entry[1])),
    );
  }
}

function isHabit(value: unknown): value is KeepHabit {
  const { shown, kept, expected } = { ...(value as Partial<KeepHabit> | null) };
  return [shown, kept, expected].every((count) => Number.isFinite(count) && Number(count) >= 0);
}
