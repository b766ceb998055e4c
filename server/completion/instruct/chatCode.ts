// The code in a chat answer, extracted from its Markdown block and indented for its place while it arrives. The prompt
// has opened the block; a model may open it again. It may write from the first column or already indented.
import { leadingSpace } from '../prompt/context';

/** Opens a code block that `text` cannot close. */
export function codeFence(text: string): string {
  const runs = [...text.matchAll(/`{3,}/g)].map(([run]) => run.length);
  return '`'.repeat(Math.max(2, ...runs) + 1);
}

export class ChatCode {
  /** Not yet emitted: the start of a line, until it shows whether it is a fence and how deep it is. */
  #held = '';
  #inLine = false;
  /** Indentation of the first line with something in it. */
  #own: string | undefined;
  /** True after the closing fence; what follows is not code. */
  #ended = false;

  /** Every line but the first is indented by `base`; `lead` precedes the first one in the document. */
  constructor(
    private readonly fence: string,
    private readonly base: string,
    private readonly lead: string,
  ) {}

  /** The code in an answer, as it arrives. */
  async *in(answer: AsyncIterable<{ readonly text: string }>): AsyncGenerator<string, void, undefined> {
    for await (const { text } of answer) {
      yield this.push(text);
      if (this.#ended) return;
    }
    yield this.flush();
  }

  /** The code that has become certain. */
  push(piece: string): string {
    const parts = (this.#held + piece).split(/(?<=\n)/);
    this.#held = '';
    return parts.map((part) => this.#take(part, part.endsWith('\n'))).join('');
  }

  flush(): string {
    return this.#take(this.#held, true);
  }

  #take(part: string, complete: boolean): string {
    if (this.#ended || part === '') return '';
    if (this.#inLine) {
      this.#inLine = !complete;
      return part;
    }
    const line = part.trimStart();
    if (!complete && (this.fence.startsWith(line) || line.startsWith(this.fence))) {
      this.#held = part;
      return '';
    }
    if (line.startsWith(this.fence)) {
      this.#ended = this.#own !== undefined || line.trim() === this.fence;
      return '';
    }
    // Blank lines before the code are dropped; later ones keep only their line end.
    if (line === '') return this.#own !== undefined && part.endsWith('\n') ? '\n' : '';
    this.#inLine = !complete;
    return this.#inPlace(part);
  }

  #inPlace(part: string): string {
    const space = leadingSpace(part);
    const body = part.slice(space.length);
    if (this.#own === undefined) {
      this.#own = space;
      // In the middle of a line there is nothing to indent.
      return (this.lead.trim() === '' ? this.base.slice(this.lead.length) : '') + body;
    }
    return this.base + (space.startsWith(this.#own) ? space.slice(this.#own.length) : '') + body;
  }
}

/** Yields the pieces without the white space at the end of the text. */
export async function* trimmed(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let held = '';
  for await (const piece of pieces) {
    const text = held + piece;
    const solid = text.trimEnd().length;
    held = text.slice(solid);
    if (solid === 0) continue;
    yield text.slice(0, solid);
  }
}
