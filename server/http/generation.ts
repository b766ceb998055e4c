// Types of a generation as an endpoint describes it: the texts to generate, and the form of the answer and its events.
import type { LineEnd } from '../completion/prompt/lineEnds';
import type { HealedPrompt } from '../completion/prompt/healing';
import type { DecodeRequest, DecodeResult } from '../engine/decode/decode';
import { severalSeeds } from '../engine/request/sampling';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import type { SentLogprobs } from './alignedLogprobs';
import type { WireRequest } from './wireRequest';

/** One text to generate. */
export interface Choice {
  readonly index: number;
  readonly promptIds: readonly number[];
  /** Prompt to try first, which leaves out the last characters: its output must begin with them. */
  readonly healed?: HealedPrompt | undefined;
  readonly request: DecodeRequest;
  /** Number of most probable tokens to return at each position of the prompt; undefined if not requested. */
  readonly promptLogprobs?: number | undefined;
  /** Whether the prompt is only read into the cache, without an output. */
  readonly promptOnly?: boolean | undefined;
  readonly filter?: TextFilter | undefined;
  /** Line end of the answer; \n if absent. */
  readonly lineEnd?: LineEnd | undefined;
}

/** A prompt with the fields that all of its texts share. */
export type EncodedPrompt = Omit<Choice, 'index' | 'request'>;

/** Maximum number of texts per request; each costs a decode. */
export const MAX_TEXTS = 128;

/** Lists `n` texts for each prompt. Seeds count up, and indices are those of OpenAI's API. */
export function choices(prompts: readonly EncodedPrompt[], n: number, request: WireRequest): Choice[] {
  const samplings = severalSeeds(request.sampling, n);
  return prompts.flatMap((prompt, i) =>
    samplings.map((sampling, j) => ({ ...prompt, index: i * n + j, request: { ...request, sampling } })),
  );
}

/** Takes parts of an output out of its text. */
export interface TextFilter {
  /** Whether the filter has ended the text. */
  readonly ended?: boolean;
  /** Adds a piece of the output, and returns the text that is now certain. */
  push(piece: string): string;
  /** Returns the text held back, once the output has ended. */
  flush(): string;
  /** Returns the thinking read since the last call. */
  takeThinking?(): string;
}

/** An output so far: its choice, and the result of its decode. */
export interface OutputProgress {
  readonly choice: Choice;
  readonly result: DecodeResult;
  /** Number of tokens at the start of the output that only repeat characters removed from the prompt. */
  readonly skipped: number;
}

export interface Outcome extends OutputProgress {
  readonly text: string;
  readonly finish: 'stop' | 'length';
  /** Log-probabilities of the text's tokens; undefined if not requested. */
  readonly logprobs?: readonly SentLogprobs[] | undefined;
  readonly promptLogprobs?: readonly TokenLogprobs[] | undefined;
}

export interface Piece {
  /** Text that has become certain. */
  readonly text: string;
  /** Tokens of the chunk that the text came with. */
  readonly tokens: readonly number[];
  /** Log-probabilities of tokens whose text is complete. */
  readonly logprobs?: readonly SentLogprobs[] | undefined;
  /** Thinking, which is not part of the text. */
  readonly thinking?: string | undefined;
}

export interface Generation {
  /** Field of the request that the prompt comes from; "prompt" if absent. */
  readonly promptField?: string;
  readonly choices: readonly Choice[];
  readonly stream: boolean;
  /** Creates the answer without a stream. */
  readonly complete: (outcomes: readonly Outcome[]) => object;
  /** Creates the event that precedes the first piece of a choice. */
  readonly opening?:
    ((choice: Choice, promptLogprobs: readonly TokenLogprobs[] | undefined) => object) | undefined;
  /** Creates the event of a piece. */
  readonly piece: (progress: OutputProgress, piece: Piece) => object;
  /** Creates the event after the last piece of a choice. */
  readonly closing: (outcome: Outcome) => object;
  /** Creates the event after all choices. */
  readonly trailer?: ((outcomes: readonly Outcome[]) => object) | undefined;
  /** Whether the stream ends with OpenAI's `[DONE]`. */
  readonly endsWithDone: boolean;
  /** Whether tokens without text, such as an end token, have an event too. */
  readonly allTokens?: boolean;
}
