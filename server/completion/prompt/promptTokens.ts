// Maximum length of prompts: as many tokens as the model reads within a target time, for which the user waits in a
// file that is not in the cache yet. The length changes in coarse steps, and not while a document is worked on: other
// cuts would change the start of its prompt, and the whole prompt would be read again.
import type { ServerSettings } from '../../rules/serverSettings';
import type { Decoder } from '../decoder';

/** Length before the first measurement, and for engines that do not report their speed. */
export const USUAL_PROMPT_TOKENS = 1024;
/**
 * Bounds of the length, powers of two. A shorter prompt says too little; the caches of a few longer ones would not
 * fit.
 */
const MIN_TOKENS = 512;
const MAX_TOKENS = 4096;
/** Lower bound before the first measurement, so that the first suggestion of a slow machine does not take seconds. */
const MIN_UNMEASURED_TOKENS = 256;
/** Time to read a prompt without any of it in the cache. */
const TARGET_MS = 1000;
/** Factor by which the speed must exceed the target before the length doubles: long prompts take longer per token. */
const SPARE_SPEED = 1.5;

/** Prefill speeds in tokens/ms: the measured one, and the expected one before the first measurement. */
type Speeds = Pick<Decoder, 'prefillSpeed' | 'expectedPrefillSpeed'>;

/** Number of documents that are worked on at a time, in one window or several. */
const KEPT_DOCUMENTS = 4;

export class PromptTokens {
  /** Length by URI, the most recently used at the end. */
  readonly #lengths = new Map<string, { readonly tokens: number; readonly isMeasured: boolean }>();
  #last = USUAL_PROMPT_TOKENS;

  /** Returns the maximum length, in tokens, of the next prompt in a document. */
  of(uri: string, setting: ServerSettings['maxPromptTokens'], speeds: Speeds): number {
    if (setting !== 'auto') return setting;
    const { prefillSpeed, expectedPrefillSpeed } = speeds;
    const [newest] = [...this.#lengths.keys()].slice(-1);
    const count = this.#lengths.get(uri);
    const isMeasured = prefillSpeed !== undefined;
    // A length from before the first measurement is replaced when the user comes back to the document.
    if (count && (count.isMeasured || !isMeasured || uri === newest)) return this.#keep(uri, count);
    if (isMeasured) this.#last = fitting(this.#last, prefillSpeed);
    const tokens = isMeasured ? this.#last : fittingUnmeasured(this.#last, expectedPrefillSpeed);
    return this.#keep(uri, { tokens, isMeasured });
  }

  #keep(uri: string, count: { readonly tokens: number; readonly isMeasured: boolean }): number {
    this.#lengths.delete(uri);
    this.#lengths.set(uri, count);
    const [oldest] = this.#lengths.keys();
    if (this.#lengths.size > KEPT_DOCUMENTS && oldest !== undefined) this.#lengths.delete(oldest);
    return count.tokens;
  }
}

/** Returns the length for a measured speed; `now` if that is close enough, so that noise does not move it. */
function fitting(now: number, tokensPerMs: number): number {
  const readable = tokensPerMs * TARGET_MS;
  return readable < now
    ? within(MIN_TOKENS, readable)
    : Math.max(now, within(MIN_TOKENS, readable / SPARE_SPEED));
}

/** Returns the usual length, or a shorter one if reading that is expected to take too long. */
function fittingUnmeasured(usual: number, tokensPerMs = Infinity): number {
  return Math.min(usual, within(MIN_UNMEASURED_TOKENS, tokensPerMs * TARGET_MS));
}

/** Returns the largest power of two up to `tokens`, between `least` and MAX_TOKENS. */
function within(least: number, tokens: number): number {
  return Math.min(MAX_TOKENS, Math.max(least, 2 ** Math.floor(Math.log2(tokens))));
}
