// Logprob fields of answers: the log-probabilities of tokens in the two shapes of OpenAI's API and in llama.cpp's.
import type { TokenLogprob, TokenLogprobs } from '../engine/sampling/sampler';
import { Detokenizer } from '../models/text/detokenizer';
import type { Tokenizer } from '../models/text/tokenizer';
import { bytesText } from '../rules/visibleText';
import type { SentLogprobs } from './alignedLogprobs';

type Spelling = Pick<Tokenizer, 'bytes'>;

/** First token of a prompt, which has no probability. */
interface FirstToken {
  readonly token: number;
  readonly logprob: null;
  readonly cut?: undefined;
}

/**
 * Log-probabilities in the form of /v1/completions, for a text whose tokens come in one or several calls. A character
 * made of several tokens belongs to the last of them, so that the tokens add up to the text.
 */
export class CompletionLogprobs {
  readonly #texts: Detokenizer;
  /** Code points so far, as in OpenAI's and vLLM's answers. */
  #end = 0;

  /** `before` are the tokens before the text, which can end within a character. */
  constructor(
    private readonly tokenizer: Spelling,
    before: readonly number[],
  ) {
    this.#texts = new Detokenizer((token) => tokenizer.bytes(token), before);
  }

  of(logprobs: readonly (SentLogprobs | FirstToken)[]) {
    const entries = logprobs.map((each) => {
      const text = each.cut?.text ?? this.#texts.peek([each.token]);
      const top = each.logprob === null ? null : this.#top(each, text);
      this.#texts.push(each.token);
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

  /** Returns the most probable tokens and the chosen one, which replaces others of the same `text`. */
  #top({ top, ...own }: TokenLogprobs, text: string) {
    const others = top.filter(({ token }) => token !== own.token);
    return Object.fromEntries([
      ...others.map(({ token, logprob }) => [this.#name(token), finite(logprob)] as const),
      [text, finite(own.logprob)],
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

/**
 * Returns log-probabilities in the form of /v1/chat/completions, and of `completion_probabilities` of llama.cpp, which has
 * the ids of tokens too.
 */
export function namedLogprobs(logprobs: readonly SentLogprobs[], tokenizer: Spelling, hasIds: boolean) {
  const entry = ({ token, logprob }: TokenLogprob, bytes = tokenizer.bytes(token)) => {
    return {
      ...(hasIds && { id: token }),
      token: bytesText(bytes),
      bytes: [...bytes],
      logprob: finite(logprob),
    };
  };
  return logprobs.map(({ top, cut, ...own }) => ({
    ...entry(own, cut?.bytes),
    top_logprobs: top.map((each) => entry(each)),
  }));
}

/** JSON has no infinities; a forbidden token is as improbable as it gets. */
function finite(logprob: number): number {
  return Math.max(logprob, -9999);
}
