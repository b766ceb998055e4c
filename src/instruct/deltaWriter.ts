// Orders the writes of streamed text into a document; a StreamTarget performs them in an editor.

export interface WriteEdge {
  readonly first: boolean;
  readonly last: boolean;
}

/** `refused`: the document changed in between, try again. `gone`: the document was edited or closed. */
export type WriteResult = 'written' | 'refused' | 'gone';

const MAX_REFUSALS = 20;

/**
 * Writes one delta at a time, all as one undo step: an undo stop before the first write and one after the last. Holds
 * back a character until the end, so that there always is a last write.
 */
export class DeltaWriter {
  #pending = '';
  #written = '';
  #finishing = false;
  #gone = false;
  #turn = Promise.resolve();

  constructor(private readonly write: (text: string, edge: WriteEdge) => Promise<WriteResult>) {}

  /** All text so far, written or pending. */
  get text(): string {
    return this.#written + this.#pending;
  }

  push(text: string): void {
    if (this.#finishing || this.#gone) return;
    this.#pending += text;
    this.#turn = this.#turn.then(() => this.#drain());
  }

  /** Resolves when everything is written; nothing is written afterwards. */
  async finish(): Promise<void> {
    this.#finishing = true;
    await this.#turn;
    await this.#drain();
  }

  async #drain(): Promise<void> {
    for (let refusals = 0; refusals < MAX_REFUSALS;) {
      const last = this.#finishing;
      // With the "u" flag the last character is matched whole, even one of two UTF-16 units.
      const text = last ? this.#pending : this.#pending.replace(/.$/su, '');
      if (text === '') return;
      const result = await this.write(text, { first: this.#written === '', last });
      if (result === 'gone') break;
      if (result === 'refused') {
        refusals += 1;
        continue;
      }
      this.#written += text;
      this.#pending = this.#pending.slice(text.length);
      refusals = 0;
    }
    this.#gone = true;
    this.#pending = '';
  }
}
