// One decode at a time: requests wait in order for their turn.

export class Lane {
  #tail: Promise<void> = Promise.resolve();

  /** Waits for all earlier holders; the caller must call the returned function when it is done. */
  async acquire(): Promise<() => void> {
    const turn = this.#tail;
    let release: () => void = () => undefined;
    this.#tail = new Promise((resolve) => (release = resolve));
    await turn;
    return release;
  }
}
