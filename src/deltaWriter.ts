// Brings streamed text into a document, one write at a time, as one step to undo: a stop before the first write and
// a stop after the last. So that there always is a last one, it holds back a character until the end.

export interface WriteEdge {
  readonly first: boolean;
  readonly last: boolean;
}

/** `refused`: the document changed in between, try again. `gone`: there is nothing to write to any more. */
export type WriteResult = 'written' | 'refused' | 'gone';

const MAX_REFUSALS = 20;

export class DeltaWriter {
  #pending = '';
  #written = '';
  #finishing = false;
  #gone = false;
  #loop: Promise<void> | undefined;

  constructor(private readonly write: (text: string, edge: WriteEdge) => Promise<WriteResult>) {}

  /** All text so far, in the document or on its way there. */
  get text(): string {
    return this.#written + this.#pending;
  }

  push(text: string): void {
    if (this.#finishing || this.#gone) return;
    this.#pending += text;
    this.#start();
  }

  /** Resolves when everything is written; nothing is written after. */
  async finish(): Promise<void> {
    this.#finishing = true;
    // A loop that is just ending may not have seen it.
    await this.#loop;
    this.#start();
    await this.#loop;
  }

  /** Drops what is not written yet. */
  stop(): void {
    this.#gone = true;
    this.#pending = '';
  }

  #start(): void {
    this.#loop ??= this.#drain().finally(() => {
      this.#loop = undefined;
    });
  }

  async #drain(): Promise<void> {
    for (let refusals = 0; refusals < MAX_REFUSALS && !this.#gone;) {
      const ending = this.#finishing;
      const text = ending ? this.#pending : withoutLastCharacter(this.#pending);
      if (text === '') return;
      const result = await this.write(text, { first: this.#written === '', last: ending });
      if (result === 'gone') return void this.stop();
      if (result === 'refused') {
        refusals += 1;
        continue;
      }
      this.#written += text;
      this.#pending = this.#pending.slice(text.length);
      refusals = 0;
    }
    if (!this.#gone) this.stop();
  }
}

function withoutLastCharacter(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  const pair = last >= 0xdc00 && last <= 0xdfff;
  return text.slice(0, pair ? -2 : -1);
}
