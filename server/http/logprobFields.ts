// Formats log-probabilities as in the two endpoints of OpenAI's API and in llama.cpp.
import type { TokenLogprob, TokenLogprobs } from '../engine/sampling/sampler';
import { Detokenizer } from '../models/text/detokenizer';
import type { Tokenizer } from '../models/text/tokenizer';
import { bytesText } from '../rules/visibleText';
import type { SentLogprobs } from './alignedLogprobs';

/** The first token of a prompt, which has no log-probability. */
interface FirstToken {
  readonly token: number;
  readonly logprob: null;
  readonly cut?: undefined;
}

/**
 * Formats log-probabilities as in /v1/completions, for a text whose tokens arrive in one or several calls. A character
 * spread over several tokens belongs to the last of them, so that the texts of the tokens add up to the whole.
 */
export class CompletionLogprobs {
  readonly #texts: Detokenizer;
  /** Length so far in code points, the unit of text_offset in OpenAI's and vLLM's answers. */
  #end = 0;

  /** `before` are the tokens preceding the text, as they can end within a character. */
  constructor(
    private readonly tokenizer: Tokenizer,
    before: readonly number[],
  ) {
    this.#texts = new Detokenizer((token) => tokenizer.bytes(token), before);
  }

  /** Formats the next tokens of the text. */
  format(logprobs: readonly (SentLogprobs | FirstToken)[]) {
    const entries = logprobs.map((logprob) => {
      const text = logprob.cut?.text ?? this.#texts.peek([logprob.token]);
      const top = logprob.logprob === null ? null : this.#top(logprob, text);
      this.#texts.push(logprob.token);
      const offset = this.#end;
      this.#end += Array.from(text).length;
      return { text, offset, top, logprob: logprob.logprob === null ? null : finite(logprob.logprob) };
    });
    return {
      tokens: entries.map(({ text }) => text),
      token_logprobs: entries.map(({ logprob }) => logprob),
      top_logprobs: entries.map(({ top }) => top),
      text_offset: entries.map(({ offset }) => offset),
    };
  }

  /** Returns the most probable tokens and the chosen one, which replaces any other with the same `text`. */
  #top({ top, ...chosen }: TokenLogprobs, text: string) {
    const alternatives = top.filter(({ token }) => token !== chosen.token);
    return Object.fromEntries([
      ...alternatives.map(({ token, logprob }) => [this.#name(token), finite(logprob)] as const),
      [text, finite(chosen.logprob)],
    ]);
  }

  /** Returns the text that the token would complete here, or its own bytes as text if it completes no character. */
  #name(token: number): string {
    const text = this.#texts.peek([token]);
    if (text !== '' && !text.includes('\uFFFD')) return text;
    return bytesText(this.tokenizer.bytes(token));
  }
}

/** Decodes a prompt to the text that the tokens of its log-probabilities add up to. */
export function spelled(ids: readonly number[], tokenizer: Tokenizer): string {
  const texts = new Detokenizer((token) => tokenizer.bytes(token));
  return ids.map((id) => texts.push(id)).join('');
}

/**
 * Formats log-probabilities as in /v1/chat/completions or, with `hasIds`, as in llama.cpp's `completion_probabilities`,
 * which have token ids too.
 */
export function namedLogprobs(logprobs: readonly SentLogprobs[], tokenizer: Tokenizer, hasIds: boolean) {
  const entry = ({ token, logprob }: TokenLogprob, bytes = tokenizer.bytes(token)) => {
    return {
      ...(hasIds && { id: token }),
      token: bytesText(bytes),
      bytes: [...bytes],
      logprob: finite(logprob),
    };
  };
  return logprobs.map(({ top, cut, ...chosen }) => ({
    ...entry(chosen, cut?.bytes),
    top_logprobs: top.map((candidate) => entry(candidate)),
  }));
}

/** Limits a log-probability from below: a forbidden token has -Infinity, which JSON cannot express. */
function finite(logprob: number): number {
  return Math.max(logprob, -9999);
}
