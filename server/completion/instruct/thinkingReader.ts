// Separates the thinking that begins an answer from the answer, piece by piece. Only the first thinking counts: tags
// further on are part of the text, as a model can write about them.
import type { ThinkingTags } from '../../models/text/thinkingTags';
import { StopStrings } from '../../rules/stopStrings';

export class ThinkingReader {
  /** All thinking so far. */
  thinking = '';
  #state: 'begin' | 'thinking' | 'gap' | 'answer' = 'begin';
  #tags: ThinkingTags | undefined;
  #held = '';

  /** `opened` are the tags whose beginning ends the prompt, as some templates write it. */
  constructor(
    private readonly known: readonly ThinkingTags[],
    opened: ThinkingTags | undefined,
  ) {
    if (opened) this.#begin(opened);
  }

  /** Returns the text that is certain to be part of the answer. */
  push(piece: string): string {
    this.#held += piece;
    if (this.#state === 'begin') this.#findBegin();
    if (this.#state === 'thinking') this.#read();
    if (this.#state === 'gap') {
      this.#held = this.#held.trimStart();
      if (this.#held !== '') this.#state = 'answer';
    }
    return this.#state === 'answer' ? this.#taken(this.#held.length) : '';
  }

  /** Returns the rest of the answer, when the output has ended. */
  flush(): string {
    const rest = this.#taken(this.#held.length);
    if (this.#state !== 'thinking') return this.#state === 'gap' ? '' : rest;
    this.#add(rest.trimEnd());
    return '';
  }

  #findBegin(): void {
    const text = this.#held.trimStart();
    const tags = this.known.find(({ begin }) => text.startsWith(begin));
    if (tags) {
      this.#held = text.slice(tags.begin.length);
      this.#begin(tags);
    } else if (!this.known.some(({ begin }) => begin.startsWith(text))) this.#state = 'answer';
  }

  #begin(tags: ThinkingTags): void {
    this.#tags = tags;
    this.#state = 'thinking';
  }

  /** Takes the thinking up to its end, or up to white space and a tag that can still become that. */
  #read(): void {
    const end = this.#tags?.end ?? '';
    const at = this.#held.indexOf(end);
    if (at < 0) {
      const certain = this.#held.length - new StopStrings([end]).unfinished(this.#held);
      this.#add(this.#taken(this.#held.slice(0, certain).trimEnd().length));
      return;
    }
    this.#add(this.#held.slice(0, at).trimEnd());
    this.#held = this.#held.slice(at + end.length);
    this.#state = 'gap';
  }

  #taken(length: number): string {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return text;
  }

  #add(text: string): void {
    this.thinking += this.thinking === '' ? text.trimStart() : text;
  }
}
