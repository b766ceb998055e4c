// Decides by the power supply and the settings of a client whether its automatic requests pause, and whether to
// prefetch.
import type { ServerSettings } from '../../rules/serverSettings';

export class PowerPolicy {
  #isPaused = false;

  constructor(
    /** Whether the machine is plugged in. */
    private readonly pluggedIn: () => Promise<boolean>,
    /** Returns the current settings. */
    private readonly settings: () => ServerSettings,
    /** Called when automatic requests begin or cease to pause. */
    private readonly onPause: () => void,
  ) {}

  /** Whether automatic requests paused at the last check. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Returns whether automatic requests have to pause. Checks the power supply only if the settings ask for it. */
  async pauses(): Promise<boolean> {
    if (!this.settings().pauseOnBattery) return false;
    const isPluggedIn = await this.pluggedIn();
    // The settings can have changed during the check.
    const isPaused = this.settings().pauseOnBattery && !isPluggedIn;
    this.#set(isPaused);
    return isPaused;
  }

  /** Returns whether to prefetch. A prefetch is of no use where automatic requests pause. */
  async mayPrefetch(): Promise<boolean> {
    const { prefetch, pauseOnBattery } = this.settings();
    if (prefetch === 'always' && !pauseOnBattery) return true;
    return prefetch !== 'never' && (await this.pluggedIn());
  }

  /** Ends a pause that the settings no longer ask for. */
  settingsChanged(): void {
    if (!this.settings().pauseOnBattery) this.#set(false);
  }

  #set(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    this.onPause();
  }
}
