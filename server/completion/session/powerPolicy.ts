// Decides by the power supply and the settings of a client whether its automatic requests pause, and whether to
// prefetch.
import type { ServerSettings } from '../../rules/serverSettings';

export class PowerPolicy {
  #isPaused = false;
  /** Whether the newest settings ask for pauses. */
  #isAskedFor = false;

  constructor(
    /** Whether the machine is plugged in. */
    private readonly pluggedIn: () => Promise<boolean>,
    /** Called when automatic requests begin or cease to pause. */
    private readonly onPause: () => void,
  ) {}

  /** Whether automatic requests paused at the last check. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Returns whether automatic requests have to pause. Checks the power supply only if the settings ask for it. */
  async pauses({ pauseOnBattery }: ServerSettings): Promise<boolean> {
    if (!pauseOnBattery) return false;
    this.#isAskedFor = true;
    const isPluggedIn = await this.pluggedIn();
    // The settings can have changed during the check.
    const isPaused = this.#isAskedFor && !isPluggedIn;
    this.#set(isPaused);
    return isPaused;
  }

  /** Returns whether to prefetch. A prefetch is of no use where automatic requests pause. */
  async mayPrefetch({ prefetch, pauseOnBattery }: ServerSettings): Promise<boolean> {
    if (prefetch === 'always' && !pauseOnBattery) return true;
    return prefetch !== 'never' && (await this.pluggedIn());
  }

  /** Ends a pause that changed settings no longer ask for. */
  configured({ pauseOnBattery }: ServerSettings): void {
    this.#isAskedFor = pauseOnBattery;
    if (!pauseOnBattery) this.#set(false);
  }

  #set(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    this.onPause();
  }
}
