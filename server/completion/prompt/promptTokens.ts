// How long prompts may be: as long as can be read within a target time, which a person waits in a file that was not read
// yet. Knows no text. The length changes in coarse steps, and not while a document is worked on: other cuts would change
// the start of its prompt, and all of it would be read again.
import type { ServerSettings } from '../../rules/serverSettings';
import type { Decoder } from '../decoder';

/** Length before anything is measured, and for engines that do not report their speed. */
export const USUAL_PROMPT_TOKENS = 1024;
/** Powers of two. Less says too little of a file; more takes memory, and the caches of a few files have to fit. */
const LEAST = 512;
const MOST = 4096;
/** Least length before anything is measured, so that the first suggestion of a slow reader does not take seconds. */
const LEAST_AT_FIRST = 256;
/** Time to read a prompt of which nothing is in the cache. */
const TARGET_MS = 1000;
/** How much faster than needed reading must be for twice as many: long prompts take longer per token. */
const SPARE = 1.5;

/** Prefill speeds in tokens/ms: the measured one, and what is expected before that. */
type Speeds = Pick<Decoder, 'prefillSpeed' | 'expectedPrefillSpeed'>;

/** Documents that are worked on at a time, in one window or several. */
const DOCUMENTS = 4;

export class PromptTokens {
  /** By URI, the one asked about last at the end. */
  readonly #known = new Map<string, { readonly tokens: number; readonly isMeasured: boolean }>();
  #last = USUAL_PROMPT_TOKENS;

  /** Returns the length of the next prompt in a document. */
  of(uri: string, setting: ServerSettings['maxPromptTokens'], speeds: Speeds): number {
    if (setting !== 'auto') return setting;
    const { prefillSpeed, expectedPrefillSpeed } = speeds;
    const [newest] = [...this.#known.keys()].slice(-1);
    const known = this.#known.get(uri);
    const isMeasured = prefillSpeed !== undefined;
    // A length without a measurement is replaced when the person comes back to the document.
    if (known && (known.isMeasured || !isMeasured || uri === newest)) return this.#keep(uri, known);
    if (isMeasured) this.#last = fitting(this.#last, prefillSpeed);
    const tokens = isMeasured ? this.#last : fittingAtFirst(this.#last, expectedPrefillSpeed);
    return this.#keep(uri, { tokens, isMeasured });
  }

  #keep(uri: string, known: { readonly tokens: number; readonly isMeasured: boolean }): number {
    this.#known.delete(uri);
    this.#known.set(uri, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > DOCUMENTS && oldest !== undefined) this.#known.delete(oldest);
    return known.tokens;
  }
}

/** Returns `now` if that is not too far from what can be read, so that noise does not move it. */
function fitting(now: number, tokensPerMs: number): number {
  const readable = tokensPerMs * TARGET_MS;
  return readable < now ? within(LEAST, readable) : Math.max(now, within(LEAST, readable / SPARE));
}

/** Returns the usual length, or less where reading it is expected to take too long. */
function fittingAtFirst(usual: number, tokensPerMs = Infinity): number {
  return Math.min(usual, within(LEAST_AT_FIRST, tokensPerMs * TARGET_MS));
}

/** Returns the largest power of two up to `tokens`, between `least` and the most. */
function within(least: number, tokens: number): number {
  return Math.min(MOST, Math.max(least, 2 ** Math.floor(Math.log2(tokens))));
}
