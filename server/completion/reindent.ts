// Moves code to the indentation of the place where it is inserted, while it arrives. The model may have written it
// from the first column on or already in place.
import { leadingSpace } from './context';

export class Reindent {
  /** White space at the start of a line, until something follows it. */
  #held = '';
  #inLine = false;
  /** Indentation of the first line with something in it. */
  #own: string | undefined;

  /** Every line but the first one gets `base`; `lead` stands before the first one in the document. */
  constructor(
    private readonly base: string,
    private readonly lead: string,
  ) {}

  push(piece: string): string {
    return piece
      .split(/(?<=\n)/)
      .map((part) => this.#take(part))
      .join('');
  }

  #take(part: string): string {
    if (this.#inLine) {
      this.#inLine = !part.endsWith('\n');
      return part;
    }
    const text = this.#held + part;
    this.#held = '';
    if (text.trim() === '') {
      // Blank lines before the code are dropped, others keep nothing but their end.
      if (text.endsWith('\n')) return this.#own === undefined ? '' : '\n';
      this.#held = text;
      return '';
    }
    this.#inLine = !text.endsWith('\n');
    return this.#place(text);
  }

  #place(text: string): string {
    const space = leadingSpace(text);
    const body = text.slice(space.length);
    if (this.#own === undefined) {
      this.#own = space;
      // In the middle of a line there is nothing to indent.
      return (this.lead.trim() === '' ? this.base.slice(this.lead.length) : '') + body;
    }
    return this.base + (space.startsWith(this.#own) ? space.slice(this.#own.length) : '') + body;
  }
}
