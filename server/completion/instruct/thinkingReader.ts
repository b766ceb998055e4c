// Separates the thinking at the beginning of an output from the answer, while the output arrives. Later tags are part
// of the answer: a model can write about them.
import type { ThinkingTags } from '../../models/text/thinkingTags';
import { StopStrings } from '../../rules/stopStrings';

export class ThinkingReader {
  /** The thinking so far. */
  thinking = '';
  /** gap: in the white space between the thinking and the answer. */
  #state: 'begin' | 'thinking' | 'gap' | 'answer' = 'begin';
  /** Tags of the thinking that has begun. */
  #openTags: ThinkingTags | undefined;
  /** Text that can still belong to the thinking or to the answer. */
  #held = '';

  /**
   * `tags` are all pairs that the model can use; `opened` is the one whose begin tag ends the prompt, where some
   * templates write it.
   */
  constructor(
    private readonly tags: readonly ThinkingTags[],
    opened: ThinkingTags | undefined,
  ) {
    if (opened) this.#begin(opened);
  }

  /** Adds a piece of the output, and returns the text that is certain to be part of the answer. */
  push(piece: string): string {
    this.#held += piece;
    if (this.#state === 'begin') this.#findBegin();
    if (this.#state === 'thinking') this.#readThinking();
    if (this.#state === 'gap') {
      this.#held = this.#held.trimStart();
      if (this.#held !== '') this.#state = 'answer';
    }
    return this.#state === 'answer' ? this.#take(this.#held.length) : '';
  }

  /** Returns the rest of the answer after the end of the output. */
  flush(): string {
    const rest = this.#take(this.#held.length);
    if (this.#state !== 'thinking') return this.#state === 'gap' ? '' : rest;
    this.#add(rest.trimEnd());
    return '';
  }

  /** Decides, once there is enough text, whether the output begins with thinking. */
  #findBegin(): void {
    const text = this.#held.trimStart();
    const tags = this.tags.find(({ begin }) => text.startsWith(begin));
    if (tags) {
      this.#held = text.slice(tags.begin.length);
      this.#begin(tags);
    } else if (!this.tags.some(({ begin }) => begin.startsWith(text))) this.#state = 'answer';
  }

  #begin(tags: ThinkingTags): void {
    this.#openTags = tags;
    this.#state = 'thinking';
  }

  /** Moves thinking out of the held text, up to its end tag, or to what can become the end tag. */
  #readThinking(): void {
    const end = this.#openTags?.end ?? '';
    const at = this.#held.indexOf(end);
    if (at < 0) {
      const certain = this.#held.length - new StopStrings([end]).unfinished(this.#held);
      this.#add(this.#take(this.#held.slice(0, certain).trimEnd().length));
      return;
    }
    this.#add(this.#held.slice(0, at).trimEnd());
    this.#held = this.#held.slice(at + end.length);
    this.#state = 'gap';
  }

  /** Removes the first characters from the held text, and returns them. */
  #take(length: number): string {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return text;
  }

  #add(text: string): void {
    this.thinking += this.thinking === '' ? text.trimStart() : text;
  }
}
