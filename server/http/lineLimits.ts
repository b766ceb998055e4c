// Limits of an infill request: the indentation of lines after the first, and the time of an output with several lines.
import type { TextFilter } from './generation';

export class LineLimits implements TextFilter {
  /** Whether the text ends here. */
  ended = false;
  /** Matches a line with too little indentation, before which the text ends; undefined without that limit. */
  readonly #outdentedLine: RegExp | undefined;
  #startedAt: number | undefined;
  #hasLineEnd = false;
  /** Blank lines and indentation, held back until text follows them. */
  #held = '';

  /**
   * `minIndent` is the number of white-space characters before every line after the first; the text ends before a line
   * with fewer, unless the line is blank. `maxMs` limits the time from the first token, once there is a line end; 0 for
   * no limit.
   */
  constructor(
    minIndent: number,
    private readonly maxMs: number,
  ) {
    if (minIndent > 0) this.#outdentedLine = new RegExp(`\\n[^\\S\\n]{0,${String(minIndent - 1)}}\\S`);
  }

  /** Returns the text that belongs to the output, as far as that is certain. */
  push(piece: string): string {
    this.#startedAt ??= performance.now();
    const text = this.#held + piece;
    const outdentedLine = this.#outdentedLine?.exec(text);
    const before = text.slice(0, outdentedLine?.index);
    // Index of the first line end in the trailing white space; -1 if there is none.
    const blankIndex = before.indexOf('\n', before.trimEnd().length);
    const certain = blankIndex < 0 ? before : before.slice(0, blankIndex);
    this.#held = text.slice(certain.length);
    this.#hasLineEnd ||= text.includes('\n');
    const isLate = this.maxMs > 0 && this.#hasLineEnd && performance.now() - this.#startedAt > this.maxMs;
    this.ended = isLate || Boolean(outdentedLine);
    return certain;
  }

  /** Returns the text held back, unless one of these limits has ended the output. */
  flush(): string {
    return this.ended ? '' : this.#held;
  }
}
