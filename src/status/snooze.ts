// A pause for a while, or until the window is reloaded; it is not stored.
// Reports when it begins and when it ends, on its own or manually.

export class Snooze {
  #until = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly changed: () => void) {}

  /** Milliseconds since 1970; Infinity until restart, undefined when not snoozed. */
  get until(): number | undefined {
    return Date.now() < this.#until ? this.#until : undefined;
  }

  /** Infinity snoozes until restart, 0 ends a snooze. */
  start(minutes: number): void {
    clearTimeout(this.#timer);
    const ms = minutes * 60_000;
    this.#until = ms > 0 ? Date.now() + ms : 0;
    // Timers take no longer delays.
    if (ms > 0 && ms < 2 ** 31) this.#timer = setTimeout(this.changed, ms + 10);
    this.changed();
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
