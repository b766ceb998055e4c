// The interface of an engine that completion/ depends on. hosting/ adapts real engines to it; tests use a double.
import type { DecodeRequest } from '../engine/decode/decode';
import type { FinishReason } from '../engine/request/stats';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import type { ChatMessage } from '../protocol/conversation';
import type { Tokenizer as ModelTokenizer } from '../models/text/tokenizer';
import type { PartSize } from '../rules/partSize';

export interface PrefillSpeeds {
  /** Recent prefill speed (tokens/ms); undefined before the first long prefill pass, or if not reported. */
  readonly prefillSpeed?: number | undefined;
  /** Expected prefill speed (tokens/ms) before the first prefill; undefined without an estimate. */
  readonly expectedPrefillSpeed?: number | undefined;
}

export interface Decoder extends PrefillSpeeds {
  /** Way to prompt the model to fill a hole: its fill-in-the-middle form, a chat, or only the text before the hole. */
  readonly infill: 'fim' | 'chat' | 'prefix';
  /** Maximum length of a prompt and its output together, in tokens. */
  readonly contextTokens: number;
  /** Whether the engine reports log-probabilities of greedy decodes if a request has `greedyLogprobs`. */
  readonly greedyLogprobs: boolean;
  readonly tokenizer: Tokenizer;
  /**
   * Encodes a chat with the model's template, the assistant's turn opened. Undefined without a template, and for a base
   * model.
   */
  encodeChat(messages: readonly ChatMessage[]): number[] | undefined;
  /** Yields the text after the prompt. The reader can stop at any piece; an aborted signal ends the decode early. */
  decode(promptIds: readonly number[], options: DecodeLimits): AsyncIterable<DecodedPiece>;
}

/** Text that became certain, with one entry of log-probabilities per token if requested. */
export interface DecodedPiece {
  readonly text: string;
  readonly logprobs?: readonly TokenLogprobs[] | undefined;
}

/** The part of a tokenizer that prompts and outputs need. */
export type Tokenizer = Pick<
  ModelTokenizer,
  'textStart' | 'encodeText' | 'encodeParts' | 'decode' | 'specialTokenId'
>;

/** Limits and options of a decode. Without `sampling`, the decoder's own default applies, which is usually greedy. */
export type DecodeLimits = Pick<
  DecodeRequest,
  | 'maxTokens'
  | 'stopTokenIds'
  | 'spelledTokenIds'
  | 'isComplete'
  | 'promptLookupIds'
  | 'sampling'
  | 'greedyLogprobs'
> & {
  readonly stopStrings: readonly string[];
  /** Called with the reason why the output has ended, before the iteration ends. */
  readonly onEnd?: (reason: FinishReason) => void;
  readonly signal: AbortSignal;
  /** Parts of the prompt, for statistics; engines do not get them. */
  readonly parts?: readonly PartSize[];
};
