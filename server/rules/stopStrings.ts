// Texts that end an output, looked for in what is written so far. A request may bring a hundred thousand of them, so they
// are kept in order: a look at a text takes about as long for many as for a few.

export class StopStrings {
  /** In order, without those that begin with another one: that one is found first. */
  readonly #sorted: readonly string[];
  readonly #longest: number;

  constructor(stops: readonly string[]) {
    const sorted: string[] = [];
    for (const stop of [...stops].sort()) {
      const last = sorted.at(-1);
      if (last === undefined || !stop.startsWith(last)) sorted.push(stop);
    }
    this.#sorted = sorted;
    this.#longest = sorted.reduce((most, { length }) => Math.max(most, length), 0);
  }

  get isEmpty(): boolean {
    return this.#sorted.length === 0;
  }

  /** Where the first one in `text` begins; undefined if there is none. */
  find(text: string): number | undefined {
    for (let at = 0; at < text.length && !this.isEmpty; at++) {
      const rest = text.slice(at, at + this.#longest);
      // Whatever stands between a text and a beginning of it begins with that too, so there is nothing in between.
      const before = this.#sorted[this.#above(rest) - 1];
      if (before !== undefined && rest.startsWith(before)) return at;
    }
    return undefined;
  }

  /** Length of the longest end of `text` that is a proper beginning of one: it must wait for what follows. */
  unfinished(text: string): number {
    for (let length = Math.min(this.#longest - 1, text.length); length > 0; length--) {
      const end = text.slice(-length);
      if (this.#sorted[this.#above(end)]?.startsWith(end) === true) return length;
    }
    return 0;
  }

  /** Of the first one above `text`. */
  #above(text: string): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] ?? '') > text) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
