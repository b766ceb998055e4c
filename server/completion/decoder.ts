// What this layer needs of an engine; lsp/ adapts the real one to it, tests bring a double.
import type { DecodeChunk, DecodeRequest, DecodeResult } from '../engine/decode/decode';
import type { ChatMessage } from '../models/text/conversation';
import type * as models from '../models/text/tokenizer';
import type { PromptPart } from '../rules/promptPart';

export interface Decoder {
  /** How to prompt the model to fill a hole. */
  readonly infill: 'fim' | 'chat' | 'prefix';
  /** Tokens that a prompt and its output may have together. */
  readonly contextTokens: number;
  /** Recent prefill speed (tokens/ms); undefined where that is not known. */
  readonly prefillSpeed?: number | undefined;
  /** Expected prefill speed (tokens/ms) before the first prefill; undefined where nothing is expected. */
  readonly expectedPrefillSpeed?: number | undefined;
  /** Whether it tells how probable tokens were, where that is asked for. */
  readonly greedyLogprobs?: boolean;
  readonly tokenizer: Tokenizer;
  /** Chat messages as the model's template writes them, the assistant's turn opened; undefined without one. */
  encodeChat(messages: readonly ChatMessage[]): number[] | undefined;
  /** Text after the prompt, piece by piece. Reading may stop at any piece; an aborted signal ends it early. */
  decode(promptIds: readonly number[], options: DecodeLimits): AsyncIterable<DecodedPiece>;
}

export type FinishReason = DecodeResult['finishReason'];

/** With the probabilities of its tokens on request, where the engine tells them. */
export type DecodedPiece = Pick<DecodeChunk<null>, 'text' | 'logprobs'>;
export type TokenLogprobs = NonNullable<DecodedPiece['logprobs']>[number];

/** Encodes plain text only: nothing in it is read as a special token. */
export type Tokenizer = Pick<models.Tokenizer, 'textStart' | 'encodeText' | 'decode' | 'specialTokenId'>;

/** Without `sampling`, tokens are chosen greedily, or the way the decoder was created for. */
export type DecodeLimits = Pick<
  DecodeRequest,
  | 'maxTokens'
  | 'stopTokenIds'
  | 'spelledTokenIds'
  | 'isComplete'
  | 'promptLookupText'
  | 'sampling'
  | 'greedyLogprobs'
> & {
  readonly stopStrings: readonly string[];
  /** Told why an output has ended, before its reader knows that it has. */
  readonly onEnd?: (reason: FinishReason) => void;
  readonly signal: AbortSignal;
  /** What the prompt is made of, for statistics; no engine gets it. */
  readonly parts?: readonly PromptPart[];
};
