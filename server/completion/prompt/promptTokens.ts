// How long prompts may be: as long as can be read within a target time, which a person waits in a file that was not read
// yet. Knows no text. It changes in coarse steps, and not while a document is worked on: other cuts would change the
// start of its prompt, and all of it would be read again.
import type { ServerSettings } from '../../rules/serverSettings';
import { withinTime } from '../../machine/withinTime';
import type { Tokenizer } from '../decoder';

/** Before anything is measured, and for engines that do not tell. */
export const USUAL_PROMPT_TOKENS = 1024;
/** Powers of two. Less says too little of a file; more takes memory, and the caches of a few files have to fit. */
const LEAST = 512;
const MOST = 4096;
/** To read a prompt of which nothing is known. */
const TARGET_MS = 1000;
/** How much faster than needed reading must be for twice as many: long prompts take longer per token. */
const SPARE = 1.5;

/** Documents that are worked on at a time, in one window or several. */
const DOCUMENTS = 4;

export class PromptTokens {
  /** By URI, the one asked about last at the end. */
  readonly #known = new Map<string, { readonly tokens: number; readonly isMeasured: boolean }>();
  #last = USUAL_PROMPT_TOKENS;

  /** For the next prompt in a document, where `tokensPerMs` are read. */
  of(uri: string, setting: ServerSettings['maxPromptTokens'], tokensPerMs: number | undefined): number {
    if (setting !== 'auto') return setting;
    const [newest] = [...this.#known.keys()].slice(-1);
    const known = this.#known.get(uri);
    const isMeasured = tokensPerMs !== undefined;
    // What was not measured is measured when the document is come back to.
    if (known && (known.isMeasured || !isMeasured || uri === newest)) return this.#keep(uri, known);
    if (isMeasured) this.#last = fitting(this.#last, tokensPerMs);
    return this.#keep(uri, { tokens: this.#last, isMeasured });
  }

  #keep(uri: string, known: { readonly tokens: number; readonly isMeasured: boolean }): number {
    this.#known.delete(uri);
    this.#known.set(uri, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > DOCUMENTS && oldest !== undefined) this.#known.delete(oldest);
    return known.tokens;
  }
}

/** `now` if that is not too far from what can be read, so that noise does not move it. */
function fitting(now: number, tokensPerMs: number): number {
  const readable = tokensPerMs * TARGET_MS;
  const within = (tokens: number): number =>
    Math.min(MOST, Math.max(LEAST, 2 ** Math.floor(Math.log2(tokens))));
  return readable < now ? within(readable) : Math.max(now, within(readable / SPARE));
}

// The token ids of a document, to look for repetitions in it. Each line is encoded once, so that a key press costs one
// line. At line boundaries the ids may differ from those of the whole text, which only hides a match.

type LineEncoder = Pick<Tokenizer, 'encodeText'>;

/** Lines remembered over all documents. */
const KEPT_LINES = 8_192;
/** For all lines of a document at once, as a limit for each would take as long as the line; that of one text. */
const LIMIT_MS = 30_000;

export class LineTokens {
  /** Least recently used first. */
  readonly #lines = new Map<string, readonly number[]>();

  /** The ids of whole lines; the last line may be incomplete and is left out. */
  encode(text: string, encoder: LineEncoder): number[] {
    const end = text.lastIndexOf('\n') + 1;
    const lines = text.slice(0, end).match(/[^\n]*\n/g) ?? [];
    const encode = () => lines.flatMap((line) => this.#line(line, encoder));
    const isKnown = lines.every((line) => this.#lines.has(line));
    const ids = isKnown ? encode() : withinTime(LIMIT_MS, 'the tokenizer', encode);
    for (const line of this.#lines.keys()) {
      if (this.#lines.size <= KEPT_LINES) break;
      this.#lines.delete(line);
    }
    return ids;
  }

  #line(line: string, encoder: LineEncoder): readonly number[] {
    const ids = this.#lines.get(line) ?? encoder.encodeText(line);
    this.#lines.delete(line);
    this.#lines.set(line, ids);
    return ids;
  }
}
