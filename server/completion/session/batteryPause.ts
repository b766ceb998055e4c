// Pauses automatic requests while the machine runs on battery, if the settings ask for that.
export class BatteryPause {
  #isOn = false;

  /** Calls `onUpdate` after every check and every call of `end`, with whether automatic requests pause. */
  constructor(
    private readonly pluggedIn: () => Promise<boolean>,
    private readonly onUpdate?: (isOn: boolean) => void,
  ) {}

  /** Whether automatic requests pause. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Checks the power supply, and returns whether requests have to pause. */
  async check(): Promise<boolean> {
    this.#set(!(await this.pluggedIn()));
    return this.#isOn;
  }

  /** Ends the pause, if there is one. Call when the settings do not ask for pauses. */
  end(): void {
    this.#set(false);
  }

  #set(isOn: boolean): void {
    this.#isOn = isOn;
    this.onUpdate?.(isOn);
  }
}
