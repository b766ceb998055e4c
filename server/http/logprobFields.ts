// Logprob fields of answers: the log-probabilities of tokens in the two shapes of OpenAI's API and in llama.cpp's.
import type { Alternative, TokenLogprobs } from '../engine/sampling/sampler';

type TextOf = (token: number) => string;

/** The first token of a prompt: nothing tells how probable it is. */
interface FirstToken {
  readonly token: number;
  readonly logprob: null;
}

/** Of /v1/completions; `offset` is the number of characters before the first token. */
export function completionLogprobs(
  logprobs: readonly (TokenLogprobs | FirstToken)[],
  textOf: TextOf,
  offset: number,
) {
  const tokens = logprobs.map(({ token }) => textOf(token));
  let end = offset;
  return {
    tokens,
    token_logprobs: logprobs.map(({ logprob }) => (logprob === null ? null : finite(logprob))),
    top_logprobs: logprobs.map((each) =>
      each.logprob === null
        ? null
        : Object.fromEntries(withOwn(each).map(({ token, logprob }) => [textOf(token), finite(logprob)])),
    ),
    text_offset: tokens.map((text) => {
      end += text.length;
      return end - text.length;
    }),
  };
}

/** Of /v1/chat/completions. */
export function chatLogprobs(logprobs: readonly TokenLogprobs[], textOf: TextOf) {
  const entry = ({ token, logprob }: Alternative) => {
    const text = textOf(token);
    return { token: text, logprob: finite(logprob), bytes: bytesOf(text) };
  };
  return {
    content: logprobs.map(({ top, ...own }) => ({ ...entry(own), top_logprobs: top.map(entry) })),
    refusal: null,
  };
}

/** `completion_probabilities` of /infill. */
export function infillProbabilities(logprobs: readonly TokenLogprobs[], textOf: TextOf) {
  const entry = ({ token, logprob }: Alternative) => {
    const text = textOf(token);
    return { id: token, token: text, bytes: bytesOf(text) ?? [], logprob: finite(logprob) };
  };
  return logprobs.map(({ top, ...own }) => ({ ...entry(own), top_logprobs: top.map(entry) }));
}

/** The most probable tokens, and the chosen one if it is not among them. */
function withOwn({ top, ...own }: TokenLogprobs): readonly Alternative[] {
  return top.some(({ token }) => token === own.token) ? top : [...top, own];
}

/** JSON has no infinities; a forbidden token is as improbable as it gets. */
function finite(logprob: number): number {
  return Math.max(logprob, -9999);
}

/** Null for a token that is only part of a character. */
function bytesOf(text: string): number[] | null {
  return text.includes('\uFFFD') ? null : [...Buffer.from(text)];
}
