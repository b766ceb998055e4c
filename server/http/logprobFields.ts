// Logprob fields of answers: the log-probabilities of tokens in the two shapes of OpenAI's API and in llama.cpp's.
import { Detokenizer } from '../models/text/detokenizer';
import type { Alternative, TokenLogprobs } from '../engine/sampling/sampler';
import type { Tokenizer } from '../models/text/tokenizer';
import { bytesText } from '../rules/visibleText';

type Spelling = Pick<Tokenizer, 'bytes'>;

/** The first token of a prompt: nothing tells how probable it is. */
interface FirstToken {
  readonly token: number;
  readonly logprob: null;
}

/**
 * Of /v1/completions, for a text whose tokens may come in several calls. A character that is spread over tokens counts
 * to the last of them, so that the texts of the tokens make up the text.
 */
export class CompletionLogprobs {
  readonly #texts: Detokenizer;
  /** Code points so far, as in OpenAI's and vLLM's answers. */
  #end = 0;

  constructor(private readonly tokenizer: Spelling) {
    this.#texts = new Detokenizer((token) => tokenizer.bytes(token));
  }

  of(logprobs: readonly (TokenLogprobs | FirstToken)[]) {
    const entries = logprobs.map((each) => {
      const top = each.logprob === null ? null : this.#top(each);
      const text = this.#texts.push(each.token);
      const at = this.#end;
      this.#end += Array.from(text).length;
      return { text, at, top, logprob: each.logprob === null ? null : finite(each.logprob) };
    });
    return {
      tokens: entries.map(({ text }) => text),
      token_logprobs: entries.map(({ logprob }) => logprob),
      top_logprobs: entries.map(({ top }) => top),
      text_offset: entries.map(({ at }) => at),
    };
  }

  /** The most probable tokens and the chosen one, which counts where several have the same text. */
  #top({ top, ...own }: TokenLogprobs) {
    const others = top.filter(({ token }) => token !== own.token);
    return Object.fromEntries([
      ...others.map(({ token, logprob }) => [this.#name(token), finite(logprob)] as const),
      [this.#texts.peek([own.token]), finite(own.logprob)],
    ]);
  }

  /** The text that it would complete; its own if that is none. */
  #name(token: number): string {
    const text = this.#texts.peek([token]);
    if (text !== '' && !text.includes('\uFFFD')) return text;
    return bytesText(this.tokenizer.bytes(token));
  }
}

/** The text of a prompt, as the tokens of its log-probabilities have it. */
export function spelled(ids: readonly number[], tokenizer: Spelling): string {
  const texts = new Detokenizer((token) => tokenizer.bytes(token));
  return ids.map((id) => texts.push(id)).join('');
}

/** Of /v1/chat/completions, and `completion_probabilities` of llama.cpp, which tells the ids too. */
export function namedLogprobs(logprobs: readonly TokenLogprobs[], tokenizer: Spelling, tellsIds: boolean) {
  const entry = ({ token, logprob }: Alternative) => {
    const bytes = tokenizer.bytes(token);
    return {
      ...(tellsIds && { id: token }),
      token: bytesText(bytes),
      bytes: [...bytes],
      logprob: finite(logprob),
    };
  };
  return logprobs.map(({ top, ...own }) => ({ ...entry(own), top_logprobs: top.map(entry) }));
}

/** JSON has no infinities; a forbidden token is as improbable as it gets. */
function finite(logprob: number): number {
  return Math.max(logprob, -9999);
}
