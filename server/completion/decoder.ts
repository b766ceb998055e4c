// What this layer needs of an engine; the real one is adapted to it in lsp/, tests bring a double.
import type { DecodeRequest } from '../engine/decode';
import type { ChatMessage } from '../models/chatTemplate';
import type * as models from '../models/tokenizer';

export interface Decoder extends Infill {
  /** Tokens that a prompt and its output may have together. */
  readonly contextTokens: number;
  readonly tokenizer: Tokenizer;
  /** Chat messages as the model's template writes them, the assistant's turn opened; undefined without one. */
  encodeChat(messages: readonly ChatMessage[]): number[] | undefined;
  /** Text after the prompt, piece by piece. Reading may stop at any piece; an aborted signal ends it early. */
  decode(promptIds: readonly number[], options: DecodeLimits): AsyncIterable<{ readonly text: string }>;
}

/** How a model is best asked to fill a hole, as probed. */
export interface Infill {
  readonly infill: 'fim' | 'chat' | 'prefix';
  /** The form of fill-in-the-middle prompts that gave the better answers. */
  readonly layout: FimLayout;
}

/**
 * Prefix-suffix-middle is known to most models that can infill. Suffix-prefix-middle lets the output follow the
 * text before the cursor directly, so tokens may reach over it, and typing leaves the start of the prompt as it is.
 */
export type FimLayout = 'psm' | 'spm';

/** Only plain text is encoded here: nothing in it is taken for a special token. */
export type Tokenizer = Omit<models.Tokenizer, 'encodePrompt' | 'encodeParts'>;

/** Without `sampling` each token is the most probable one, or what the decoder was made for. */
export type DecodeLimits = Pick<
  DecodeRequest,
  'maxTokens' | 'stopTokenIds' | 'isComplete' | 'related' | 'sampling'
> & { readonly stopStrings: readonly string[]; readonly signal: AbortSignal };
