// The line limits of llama.cpp's /infill: how far a line must be indented, and how long an output that has reached a
// line end may take. Takes the text piece by piece.

export interface LineLimitOptions {
  /** White space that every line after the first begins with; a line with less, unless it is empty, ends the text. */
  readonly minIndent: number;
  /** Milliseconds from the first token on, once there is a line end; 0 for any. */
  readonly maxMs: number;
}

/** Whether a text has a line that ends it; undefined if no line can. Drafts behind such a line are in vain. */
export function tooLittleIndented(minIndent: number): ((text: string) => boolean) | undefined {
  if (minIndent === 0) return undefined;
  const line = new RegExp(`\\n[^\\S\\n]{0,${String(minIndent - 1)}}\\S`);
  return (text) => line.test(text);
}

export class LineLimits {
  /** Whether the text is at its end. */
  ended = false;
  #startedAt: number | undefined;
  #hasLineEnd = false;
  /** Blank lines and indentation that wait for what follows them. */
  #held = '';

  constructor(
    private readonly options: LineLimitOptions,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The text that belongs to the output, as far as that is certain. */
  push(piece: string): string {
    if (this.ended) return '';
    this.#startedAt ??= this.now();
    let text = '';
    const parts = (this.#held + piece).split(/(\n\s*)/);
    this.#held = '';
    for (const part of parts) {
      if (part.startsWith('\n')) {
        this.#hasLineEnd = true;
        this.#held = part;
      } else if (part !== '') {
        const indent = this.#held.length - this.#held.lastIndexOf('\n') - 1;
        this.ended = this.#held !== '' && indent < this.options.minIndent;
        if (this.ended) return text;
        text += this.#held + part;
        this.#held = '';
      }
    }
    const { maxMs } = this.options;
    this.ended = maxMs > 0 && this.#hasLineEnd && this.now() - this.#startedAt > maxMs;
    return text;
  }

  /** What was held back, if the output ended for another reason. */
  flush(): string {
    return this.ended ? '' : this.#held;
  }
}
