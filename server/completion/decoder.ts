// What this layer needs of an engine; the real one is adapted to it in lsp/, tests bring a double.

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

export interface Tokenizer {
  /** What a vocabulary puts at the start of every text: a begin token, and a space before the first word. */
  readonly textStart: { readonly ids: readonly number[]; readonly space: '' | ' ' };
  /** Plain text: nothing in it is taken for a special token. */
  encodeText(text: string): number[];
  decode(ids: readonly number[]): string;
  /** The id of a special token, by its exact spelling. */
  specialTokenId(content: string): number | undefined;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** How tokens are drawn; the same seed gives the same text. */
export interface Sampling {
  readonly temperature: number;
  /** Draws from the most probable tokens that together reach this probability. */
  readonly topP: number;
  /** A whole number below 2^32. */
  readonly seed: number;
}

export interface DecodeLimits {
  readonly maxTokens: number;
  readonly stopStrings: readonly string[];
  /** Tokens that end this output, beside the target's own end tokens. */
  readonly stopTokenIds?: readonly number[];
  /** Whether nobody reads on after an output that begins with this text; it then need not be guessed any further. */
  readonly isComplete?: (text: string) => boolean;
  readonly signal: AbortSignal;
  /** Tokens of text that the output may repeat, beside the prompt. */
  readonly related?: readonly number[];
  /** Without it each token is the most probable one, or what the decoder was made for. */
  readonly sampling?: Sampling;
}
