// Caches the delimiters that the last text left open: if the next text continues it, only the rest is scanned.
import { scan, type Open } from './scanner';

export class OpenDelimiters {
  #text = '';
  #languageId = '';
  #open: readonly Open[] = [];

  /**
   * Returns the delimiters that `text` leaves open, outermost first. The text should end with a line end: a delimiter
   * that its end cuts in two is not found, since the scan of the next text begins there.
   */
  after(text: string, languageId: string): readonly Open[] {
    const isContinued = languageId === this.#languageId && text.startsWith(this.#text);
    const from = isContinued ? this.#text.length : 0;
    const { open } = scan(text, languageId, { from, open: isContinued ? this.#open : [] });
    this.#text = text;
    this.#languageId = languageId;
    this.#open = open;
    return open;
  }
}
