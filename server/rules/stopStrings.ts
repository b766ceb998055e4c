// Finds the first stop string in an output. Stop strings are sorted, so that searching a text takes about as long for a
// hundred thousand, which a request can have, as for a few.

export class StopStrings {
  /** Sorted stop strings, without those that begin with another one: that one is found first. */
  readonly #sorted: readonly string[];
  readonly #longest: number;

  constructor(stops: readonly string[]) {
    const sorted: string[] = [];
    for (const stop of [...stops].sort()) {
      const last = sorted.at(-1);
      if (last === undefined || !stop.startsWith(last)) sorted.push(stop);
    }
    this.#sorted = sorted;
    this.#longest = sorted.reduce((max, { length }) => Math.max(max, length), 0);
  }

  get isEmpty(): boolean {
    return this.#sorted.length === 0;
  }

  /** Returns the index of the first stop string in `text`; undefined if there is none. */
  find(text: string): number | undefined {
    for (let at = 0; at < text.length && !this.isEmpty; at++) {
      const rest = text.slice(at, at + this.#longest);
      // A stop string that is a prefix of `rest` is the last one that does not sort above `rest`: any in between would
      // begin with it, and those are left out.
      const before = this.#sorted[this.#above(rest) - 1];
      if (before !== undefined && rest.startsWith(before)) return at;
    }
    return undefined;
  }

  /** Returns the length of the longest suffix of `text` that begins a stop string, and so cannot be emitted yet. */
  unfinished(text: string): number {
    for (let length = Math.min(this.#longest - 1, text.length); length > 0; length--) {
      const end = text.slice(-length);
      if (this.#sorted[this.#above(end)]?.startsWith(end) === true) return length;
    }
    return 0;
  }

  /** Returns the index of the first stop string that sorts above `text`. */
  #above(text: string): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] ?? '') > text) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
