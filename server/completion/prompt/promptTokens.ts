// Chooses the maximum length of prompts: as many tokens as the model reads within a target time. The user waits that
// long for the first suggestion in a file that is not in the prompt cache yet. The length changes in coarse steps, and
// stays the same for a document that is worked on: another length would cut its prompt elsewhere, and the whole prompt
// would be read again.
import type { ServerSettings } from '../../rules/serverSettings';
import type { PrefillSpeeds } from '../decoder';

/** Length (tokens) before the first measurement, and for engines that do not report their speed. */
export const USUAL_PROMPT_TOKENS = 1024;
/**
 * Bounds of the length (tokens), powers of two. A shorter prompt has too little context; caches of longer ones would
 * not fit into memory.
 */
const MIN_TOKENS = 512;
const MAX_TOKENS = 4096;
/** Lower bound (tokens) before the first measurement, so that the first suggestion on a slow machine is quick too. */
const MIN_UNMEASURED_TOKENS = 256;
/** Time to read a prompt without any of it in the cache. */
const TARGET_MS = 1000;
/** Spare speed required before the length doubles, as a factor: long prompts take longer per token. */
const SPARE_SPEED = 1.5;

/** Number of documents that are worked on at a time, in all windows. */
const KEPT_DOCUMENTS = 4;

/** Returns the room for a prompt (tokens): the model's context less the output, but at least half the context. */
export function promptBudget(contextTokens: number, maxTokens: number): number {
  return Math.max(contextTokens - maxTokens, Math.ceil(contextTokens / 2));
}

export class PromptTokens {
  /** Length by URI, the most recently used at the end. */
  readonly #lengths = new Map<string, { readonly tokens: number; readonly isMeasured: boolean }>();
  /** Length that fitted the latest measured speed; the usual one before the first measurement. */
  #last = USUAL_PROMPT_TOKENS;

  /** Returns the maximum length, in tokens, of the next prompt in a document. */
  of(
    uri: string,
    setting: ServerSettings['maxPromptTokens'],
    { prefillSpeed, expectedPrefillSpeed }: PrefillSpeeds,
  ): number {
    if (setting !== 'auto') return setting;
    const [newest] = [...this.#lengths.keys()].slice(-1);
    const length = this.#lengths.get(uri);
    const isMeasured = prefillSpeed !== undefined;
    // A length from before the first measurement is replaced once the user comes back from another document.
    if (length && (length.isMeasured || !isMeasured || uri === newest)) return this.#keep(uri, length);
    if (isMeasured) this.#last = fitting(this.#last, prefillSpeed);
    const tokens = isMeasured ? this.#last : fittingUnmeasured(this.#last, expectedPrefillSpeed);
    return this.#keep(uri, { tokens, isMeasured });
  }

  #keep(uri: string, length: { readonly tokens: number; readonly isMeasured: boolean }): number {
    this.#lengths.delete(uri);
    this.#lengths.set(uri, length);
    const [oldest] = this.#lengths.keys();
    if (this.#lengths.size > KEPT_DOCUMENTS && oldest !== undefined) this.#lengths.delete(oldest);
    return length.tokens;
  }
}

/** Returns the length for a measured speed; the current length if that is close enough, so that noise has no effect. */
function fitting(current: number, tokensPerMs: number): number {
  const readable = tokensPerMs * TARGET_MS;
  return readable < current
    ? powerOfTwo(MIN_TOKENS, readable)
    : Math.max(current, powerOfTwo(MIN_TOKENS, readable / SPARE_SPEED));
}

/** Returns the usual length, or a shorter one if reading that is expected to take too long. */
function fittingUnmeasured(usual: number, tokensPerMs = Infinity): number {
  return Math.min(usual, powerOfTwo(MIN_UNMEASURED_TOKENS, tokensPerMs * TARGET_MS));
}

/** Returns the largest power of two up to `tokens`, between `min` and MAX_TOKENS. */
function powerOfTwo(min: number, tokens: number): number {
  return Math.min(MAX_TOKENS, Math.max(min, 2 ** Math.floor(Math.log2(tokens))));
}
