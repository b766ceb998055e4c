// Orders the writes of streamed text into a document; a StreamTarget performs them in an editor.

/** Whether a write is the first or the last one of its text. */
export interface WriteEdge {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/**
 * `refused`: the document changed or was hidden in between, so try again. `gone`: the user edited or closed the
 * document, or cancelled while it was hidden.
 */
export type WriteResult = 'written' | 'refused' | 'gone';

/** Maximum number of refusals in a row before the rest of the text is dropped. */
const MAX_REFUSALS = 20;

/**
 * Writes one delta at a time, all as one undo step: an undo stop before the first write and one after the last. Holds
 * back a character until the end, so that there always is a last write.
 */
export class DeltaWriter {
  #pending = '';
  #written = '';
  #isFinishing = false;
  #isGone = false;
  /** Resolves once the writes so far have ended. */
  #writes = Promise.resolve();

  constructor(private readonly write: (text: string, edge: WriteEdge) => Promise<WriteResult>) {}

  /** All text so far, written or pending. */
  get text(): string {
    return this.#written + this.#pending;
  }

  push(text: string): void {
    if (this.#isFinishing || this.#isGone) return;
    this.#pending += text;
    this.#writes = this.#writes.then(() => this.#writePending());
  }

  /** Resolves when everything is written; nothing is written afterwards. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    await this.#writes;
    await this.#writePending();
  }

  async #writePending(): Promise<void> {
    let refusals = 0;
    while (refusals < MAX_REFUSALS) {
      const isLast = this.#isFinishing;
      // The "u" flag matches the last character whole, even one of two UTF-16 units.
      const text = isLast ? this.#pending : this.#pending.replace(/.$/su, '');
      if (text === '') return;
      const result = await this.write(text, { isFirst: this.#written === '', isLast });
      if (result === 'gone') break;
      if (result === 'refused') {
        refusals += 1;
        continue;
      }
      this.#written += text;
      this.#pending = this.#pending.slice(text.length);
      refusals = 0;
    }
    this.#isGone = true;
    this.#pending = '';
  }
}
