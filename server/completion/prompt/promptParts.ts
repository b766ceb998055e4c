// A prompt, and its parts before they are encoded.
import type { PartSize } from '../../rules/partSize';
import type { Decoder } from '../decoder';
import type { CompletionContext } from './context';
import type { Snippet } from './snippets';

export interface Prompt {
  readonly ids: readonly number[];
  /** Sizes of the parts in their order; the tokens of the format are counted together at the end. */
  readonly parts: readonly PartSize[];
  readonly stopStrings: readonly string[];
  /** End tokens in addition to the model's own. */
  readonly stopTokenIds: readonly number[];
}

export interface PromptParts {
  readonly context: CompletionContext;
  /** Text before the cursor: the context's own, or the part of it that healing keeps. */
  readonly prefix: string;
  readonly snippets: readonly Snippet[];
  /** Maximum length of the prompt, in tokens. */
  readonly budget: number;
}

/** The properties of a model that its prompt depends on. */
export type PromptModel = Pick<Decoder, 'infill' | 'tokenizer' | 'encodeChat'>;

/** The parts of a prompt, with the texts before and after the cursor cut to fit the budget. */
export type FittedParts = PromptParts & { readonly suffix: string };
