// How long the extension host worked for each keystroke: all parts that belong to one version of a document,
// added up. Waiting for the server is not work. Keeps the last thousand.

const KEPT = 1000;

export interface VersionedDocument {
  readonly uri: { toString(): string };
  readonly version: number;
}

export class KeystrokeTimes {
  readonly #times: number[] = [];
  #key = '';

  /** Runs `work` and counts its synchronous part for the document as it is now. */
  measure<T>({ uri, version }: VersionedDocument, work: () => T): T {
    const start = performance.now();
    try {
      return work();
    } finally {
      this.#add(`${uri.toString()}#${version}`, performance.now() - start);
    }
  }

  /** Milliseconds per keystroke, oldest first. */
  values(): readonly number[] {
    return [...this.#times];
  }

  #add(key: string, ms: number): void {
    const before = key === this.#key ? (this.#times.pop() ?? 0) : 0;
    this.#key = key;
    this.#times.push(before + ms);
    if (this.#times.length > KEPT) this.#times.shift();
  }
}
