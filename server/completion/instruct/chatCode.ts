// Extracts the code from the code block of a chat answer while the answer arrives, and indents it like the line that
// it is inserted into. The prompt has opened the block, but a model can open it again, and can write code with or
// without that line's indentation.
import { leadingSpace } from '../prompt/context';

export class ChatCode {
  /** Start of a line, held back because it can still become a fence. */
  #held = '';
  /** Whether the start of the current line was emitted. */
  #isInLine = false;
  /** Indentation of the first line of the answer that is not blank. */
  #answerIndent: string | undefined;
  /** Whether the closing fence has come; text after it is not code. */
  #hasEnded = false;

  /** Indents each line by `base`, except for the first one, which `lead` precedes in the document. */
  constructor(
    private readonly fence: string,
    private readonly base: string,
    private readonly lead: string,
  ) {}

  /** Yields the code in an answer as it arrives. */
  async *read(answer: AsyncIterable<{ readonly text: string }>): AsyncGenerator<string, void, undefined> {
    for await (const { text } of answer) {
      yield this.push(text);
      if (this.#hasEnded) return;
    }
    yield this.flush();
  }

  /** Takes a piece of the answer, and returns the code that has become certain. */
  push(piece: string): string {
    const parts = (this.#held + piece).split(/(?<=\n)/);
    this.#held = '';
    return parts.map((part) => this.#take(part, part.endsWith('\n'))).join('');
  }

  /** Returns the rest of the code at the end of the answer. */
  flush(): string {
    return this.#take(this.#held, true);
  }

  /** Takes a line, or the beginning or the rest of one; `isComplete` if its end is known. */
  #take(part: string, isComplete: boolean): string {
    if (this.#hasEnded || part === '') return '';
    if (this.#isInLine) {
      this.#isInLine = !isComplete;
      return part;
    }
    const line = part.trimStart();
    if (!isComplete && (this.fence.startsWith(line) || line.startsWith(this.fence))) {
      this.#held = part;
      return '';
    }
    if (line.startsWith(this.fence)) {
      // Before any code, a fence with a language only opens the block again; a bare one ends an answer without code.
      this.#hasEnded = this.#answerIndent !== undefined || line.trim() === this.fence;
      return '';
    }
    // Blank lines before the code are dropped; later ones keep only their line end.
    if (line === '') return this.#answerIndent !== undefined && part.endsWith('\n') ? '\n' : '';
    this.#isInLine = !isComplete;
    return this.#reindented(part);
  }

  /** Replaces the answer's indentation by that of the document. */
  #reindented(part: string): string {
    const space = leadingSpace(part);
    const body = part.slice(space.length);
    if (this.#answerIndent === undefined) {
      this.#answerIndent = space;
      // In the middle of a line, the code needs no indentation.
      return (this.lead.trim() === '' ? this.base.slice(this.lead.length) : '') + body;
    }
    const deeper = space.startsWith(this.#answerIndent) ? space.slice(this.#answerIndent.length) : '';
    return this.base + deeper + body;
  }
}

/** Yields a text that arrives in pieces, without white space at its end. */
export async function* trimmed(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let held = '';
  for await (const piece of pieces) {
    const text = held + piece;
    const length = text.trimEnd().length;
    held = text.slice(length);
    if (length > 0) yield text.slice(0, length);
  }
}
