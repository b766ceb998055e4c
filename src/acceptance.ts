// What becomes of suggestions: offered, accepted whole or in part, kept. Counts only, kept on this machine.
// Pure: VS Code tells stable extensions nothing of partial accepts, so they are read off the document's changes.

export interface AcceptanceCounts {
  /** Suggestions given to VS Code; the same one, typed into, counts once. */
  readonly offered: number;
  readonly accepted: number;
  /** A word or a line at a time. */
  readonly acceptedParts: number;
  readonly acceptedCharacters: number;
  /** Accepted texts looked at again after 30 s, and those that were still there, apart from white space. */
  readonly reviewed: number;
  readonly kept: number;
}

export const NO_ACCEPTANCE: AcceptanceCounts = {
  offered: 0,
  accepted: 0,
  acceptedParts: 0,
  acceptedCharacters: 0,
  reviewed: 0,
  kept: 0,
};

/** As in vscode's TextDocumentContentChangeEvent. */
export interface TextChange {
  readonly rangeOffset: number;
  readonly rangeLength: number;
  readonly text: string;
}

export interface Insertion {
  readonly uri: string;
  readonly offset: number;
  readonly text: string;
}

interface Offer {
  readonly uri: string;
  readonly offset: number;
  /** For each alternative what would follow the cursor. */
  readonly remaining: readonly string[];
}

/** What typing a bracket or a quote inserts; not a part that was accepted. */
const AUTO_CLOSED = /^(\(\)|\[\]|\{\}|''|""|``|<>)$/;

export class Acceptance {
  #counts: AcceptanceCounts;
  #offer: Offer | undefined;
  #id = 0;
  #last: Insertion | undefined;

  constructor(counts: Partial<AcceptanceCounts> = {}) {
    this.#counts = { ...NO_ACCEPTANCE, ...counts };
  }

  get counts(): AcceptanceCounts {
    return this.#counts;
  }

  /** `remaining` begins at the cursor, which stands at `offset`. */
  offer(uri: string, offset: number, remaining: readonly string[]): number {
    const texts = remaining.map(unixLines);
    const before = this.#offer;
    const same = before?.uri === uri && before.offset === offset && before.remaining[0] === texts[0];
    this.#offer = texts.length > 0 ? { uri, offset, remaining: texts } : undefined;
    if (same || this.#offer === undefined) return this.#id;
    this.#add({ offered: 1 });
    this.#id += 1;
    return this.#id;
  }

  /** Follows the document; returns what was accepted in part by this change. */
  change(uri: string, changes: readonly TextChange[]): Insertion | undefined {
    const offer = this.#offer;
    const [change] = changes;
    if (offer?.uri !== uri || change === undefined) return undefined;
    const text = unixLines(change.text);
    const insertion = { uri, offset: change.rangeOffset, text: change.text };
    const whole = offer.remaining.includes(text);
    const followed = whole ? [] : offer.remaining.filter((each) => each.startsWith(text));
    const typed = changes.length === 1 && change.rangeLength === 0 && change.rangeOffset === offer.offset;
    if (!typed || text === '' || followed.length === 0) {
      this.#last = insertion;
      this.#offer = undefined;
      return undefined;
    }
    this.#offer = {
      uri,
      offset: offer.offset + change.text.length,
      remaining: followed.map((each) => each.slice(text.length)),
    };
    if (text.length < 2 || AUTO_CLOSED.test(text)) return undefined;
    this.#add({ acceptedParts: 1, acceptedCharacters: text.length });
    return insertion;
  }

  /** VS Code ran the command of an accepted item; returns the text that came in, if it was seen. */
  accept(id: number): Insertion | undefined {
    const insertion = this.#last;
    this.#last = undefined;
    this.#offer = undefined;
    const seen = id === this.#id ? insertion : undefined;
    this.#add({ accepted: 1, acceptedCharacters: seen?.text.length ?? 0 });
    return seen;
  }

  review(accepted: string, now: string): void {
    this.#add({ reviewed: 1, kept: withoutSpace(accepted) === withoutSpace(now) ? 1 : 0 });
  }

  #add(more: Partial<AcceptanceCounts>): void {
    const sum = { ...this.#counts };
    for (const [name, count] of Object.entries(more) as [keyof AcceptanceCounts, number][])
      sum[name] += count;
    this.#counts = sum;
  }
}

function unixLines(text: string): string {
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
