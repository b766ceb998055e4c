// Contract of a tokenizer: text to token ids and back. User text is never scanned for special tokens: a prompt is built
// from parts, and only parts written by a template can name them. Whole prompts of other programs are the exception.

/**
 * Part of a prompt. Special tokens take effect in text written by a template, and are plain text in that of a message.
 */
export interface PromptPart {
  readonly text: string;
  readonly from: 'template' | 'message';
}

/** The start of every prompt. */
export interface TextStart {
  /** Begin token, for models that were trained with one, such as Llama, Mistral and Gemma. */
  readonly ids: readonly number[];
  /** Space that some tokenizers, such as SentencePiece's, put before the first word. */
  readonly space: '' | ' ';
}

/** Options of decoding, as in transformers. */
export interface DecodeOptions {
  /** Leaves special tokens out; false, the default, spells them out. */
  readonly skipSpecialTokens?: boolean;
}

/** The ids of a model's special tokens. */
export interface SpecialTokens {
  /** Returns the id of a special token, by its exact spelling. */
  specialTokenId(content: string): number | undefined;
}

export interface Tokenizer extends SpecialTokens {
  /** Folder that it was loaded from, so that another thread can load it too. */
  readonly directory?: string;
  /** Lists the pieces of a text that are not in the cache of encoded pieces. Only these take time to encode. */
  uncachedPieces?(text: string): string[];
  readonly textStart: TextStart;
  /**
   * Encodes a whole prompt from another program: special tokens written as text become tokens, and a missing start is
   * added.
   */
  encodePrompt(text: string): number[];
  /** Encodes a prompt of parts, without adding a start. Each part says how to read special tokens in it. */
  encodeParts(parts: readonly PromptPart[]): number[];
  /** Encodes like `encodeParts`, in steps of a few milliseconds. */
  encodeSteps?(parts: readonly PromptPart[]): Iterable<readonly number[]>;
  /** Encodes plain text in the middle of a prompt, such as code that a person wrote. */
  encodeText(text: string): number[];
  /** Decodes tokens that follow other text, without special tokens. Incomplete characters at an edge become U+FFFD. */
  decode(ids: readonly number[]): string;
  /** Decodes like `decode`, but spells special tokens out. */
  spell(ids: readonly number[]): string;
  /** Returns the UTF-8 bytes that a token adds to a text. */
  bytes(id: number, options?: DecodeOptions): Uint8Array;
}

/** Finds the spellings of a model's special tokens in texts. */
export interface SpecialTokenMarker {
  /** Inserts a mark into each spelling of a special token in `text`, ignoring case. */
  mark(text: string, mark: string): string;
}

/** A tokenizer from a model folder, which knows the spellings of its special tokens. */
export type LoadedTokenizer = Tokenizer & SpecialTokenMarker;
