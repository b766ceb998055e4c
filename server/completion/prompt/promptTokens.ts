// How long prompts may be: as long as can be read within a target time, which a person waits in a file that was not read
// yet. Knows no text. It changes in coarse steps, and not while a document is worked on: other cuts would change the
// start of its prompt, and all of it would be read again.
import type { ServerSettings } from '../../rules/serverSettings';

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
