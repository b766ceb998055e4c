// What this layer needs of an engine; the real one is adapted to it in lsp/, tests bring a double.
import type { FimLayout } from './fimFormat';
import type { TextStart } from './fimPrompt';

export interface Decoder {
  /** Tokens that a prompt and its output may have together. */
  readonly contextTokens: number;
  readonly infill: 'fim' | 'chat' | 'prefix';
  /** Which fill-in-the-middle form suits the model, as probed; prefix-suffix-middle when nothing is said. */
  readonly layout?: FimLayout;
  readonly textStart: TextStart;
  /** Plain text: nothing in it is taken for a special token. */
  encodeText(text: string): number[];
  decodeText(ids: readonly number[]): string;
  specialTokenId(content: string): number | undefined;
  /** Chat messages as the model's template writes them, the assistant's turn opened; undefined without one. */
  encodeChat(messages: readonly ChatMessage[]): number[] | undefined;
  /** Text after the prompt, piece by piece. Reading may stop at any piece; an aborted signal ends it early. */
  decode(promptIds: readonly number[], options: DecodeLimits): AsyncIterable<{ readonly text: string }>;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** How tokens are drawn; the same seed gives the same text. */
export interface Chance {
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
  readonly sampling?: Chance;
}
