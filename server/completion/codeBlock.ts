// The code in an answer that is written as Markdown, taken out while the answer arrives. The prompt has opened the
// block; a model that opens it again is forgiven.

/** Opens a code block that `text` cannot close. */
export function codeFence(text: string): string {
  const runs = [...text.matchAll(/`{3,}/g)].map(([run]) => run.length);
  return '`'.repeat(Math.max(2, ...runs) + 1);
}

export class CodeBlock {
  /** Not given out: the beginning of a line that may be a fence. */
  #held = '';
  #inLine = false;
  #begun = false;
  #ended = false;

  constructor(private readonly fence: string) {}

  /** True once the closing fence was there; what follows is not code. */
  get ended(): boolean {
    return this.#ended;
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
    if (!this.#inLine) {
      const line = part.trimStart();
      if (!complete && (this.fence.startsWith(line) || line.startsWith(this.fence))) {
        this.#held = part;
        return '';
      }
      if (line.startsWith(this.fence)) {
        const opens = !this.#begun && line.trim() !== this.fence;
        this.#ended = !opens;
        return '';
      }
    }
    this.#begun ||= part.trim() !== '';
    this.#inLine = !complete;
    return part;
  }
}
