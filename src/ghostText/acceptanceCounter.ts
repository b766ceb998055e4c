// Counts offered and accepted suggestions of all windows. Stores only the counts, on this machine.
import type * as vscode from 'vscode';
import { withAccepted, type AcceptedByDay } from './acceptedByDay';

const STORAGE_KEY = 'flashline.acceptance';
const DAYS_STORAGE_KEY = 'flashline.acceptedByDay';
/** Delay before counts of offers are stored, several at once, since suggestions appear while the user types. */
const STORE_DELAY_MS = 10_000;

export const NO_ACCEPTANCE = {
  /** Suggestions shown, accepted or not; one that the user types or accepts in parts counts once. */
  offered: 0,
  accepted: 0,
  /** Words or lines accepted one at a time. */
  acceptedParts: 0,
};

export type AcceptanceCounts = Readonly<typeof NO_ACCEPTANCE>;

export class AcceptanceCounter implements vscode.Disposable {
  /** Counts of this window that are not stored yet. */
  #unsaved: AcceptanceCounts = NO_ACCEPTANCE;
  #storing: NodeJS.Timeout | undefined;

  constructor(private readonly memory: vscode.Memento) {}

  /** Counts of all windows, as far as they have stored them. */
  get counts(): AcceptanceCounts {
    const stored = this.memory.get<Partial<AcceptanceCounts>>(STORAGE_KEY);
    return added({ ...NO_ACCEPTANCE, ...stored }, this.#unsaved);
  }

  /** Accepted suggestions of all windows by day and language. */
  get days(): AcceptedByDay {
    return this.memory.get<AcceptedByDay>(DAYS_STORAGE_KEY, {});
  }

  countOffer(): void {
    this.#add({ offered: 1 });
    this.#storing ??= setTimeout(() => {
      this.#store();
    }, STORE_DELAY_MS);
  }

  countPart(): void {
    this.#add({ acceptedParts: 1 });
    this.#store();
  }

  /** Counts a suggestion that was accepted in full in a document of the given language. */
  countAccepted(languageId: string): void {
    this.#add({ accepted: 1 });
    this.#store();
    void this.memory.update(DAYS_STORAGE_KEY, withAccepted(this.days, languageId));
  }

  dispose(): void {
    if (this.#storing) this.#store();
  }

  #add(more: Partial<AcceptanceCounts>): void {
    this.#unsaved = added(this.#unsaved, more);
  }

  /** Adds to the counts that other windows have stored since. */
  #store(): void {
    clearTimeout(this.#storing);
    this.#storing = undefined;
    const { counts } = this;
    this.#unsaved = NO_ACCEPTANCE;
    void this.memory.update(STORAGE_KEY, counts);
  }
}

function added(counts: AcceptanceCounts, more: Partial<AcceptanceCounts>): AcceptanceCounts {
  const sum = { ...counts };
  for (const [name, count] of Object.entries(more) as [keyof AcceptanceCounts, number][]) sum[name] += count;
  return sum;
}
