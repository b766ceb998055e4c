// Snooze: a pause for some minutes, or until the window is reloaded. Not stored.
import * as vscode from 'vscode';

export class Snooze implements vscode.Disposable {
  #until = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #changed = new vscode.EventEmitter<void>();

  /** Fires when a snooze begins and when it ends, by itself or by the user. */
  readonly onDidChange = this.#changed.event;

  /** End of the snooze, ms since 1970; Infinity until the window is closed or reloaded, undefined when not snoozed. */
  get until(): number | undefined {
    return Date.now() < this.#until ? this.#until : undefined;
  }

  /** Snoozes for some minutes: Infinity until the window is closed or reloaded, 0 ends a snooze. */
  start(minutes: number): void {
    clearTimeout(this.#timer);
    const ms = minutes * 60_000;
    this.#until = ms > 0 ? Date.now() + ms : 0;
    // Longer delays would overflow the timer, so the end of a longer snooze is not reported.
    if (ms > 0 && ms < 2 ** 31)
      this.#timer = setTimeout(() => {
        this.#changed.fire();
      }, ms + 10);
    this.#changed.fire();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#changed.dispose();
  }
}
