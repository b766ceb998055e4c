// Caches the delimiters that the last text left open: if the next text continues it, only the rest is scanned.
import { scan, type Open } from './scanner';

export class OpenDelimiters {
  #text = '';
  #languageId = '';
  #open: readonly Open[] = [];

  /** Returns the delimiters that `text` leaves open, outermost first. */
  after(text: string, languageId: string): readonly Open[] {
    const isLonger = languageId === this.#languageId && text.startsWith(this.#text);
    const from = isLonger ? this.#text.length : 0;
    const { open } = scan(text, languageId, { from, open: isLonger ? this.#open : [] });
    [this.#text, this.#languageId, this.#open] = [text, languageId, open];
    return open;
  }
}
