// A prompt format of next-edit models: which lines it rewrites, how a prompt is written and how its output is read.
import type { PromptPart } from '../models/text/tokenizer';
import type { EditPrompt, EditWindow, Span } from './editWindow';
import type { Reading } from './rewrite';
import type { Place } from './textEdit';

export interface EditFormat {
  readonly name: string;
  /** Whether the models of this repository, folder or file were trained with it. */
  readonly suits: (model: string) => boolean;
  /** Special tokens that such a model must have. */
  readonly required: readonly string[];
  /** Marks in prompts and outputs. Text with one is no suggestion. */
  readonly marks: readonly string[];
  /** Ends of the output; at most four, as other servers take no more. */
  readonly stops: readonly string[];
  /** Special tokens of the output that its reader needs. */
  readonly spelled: readonly string[];
  /** Tokens that an output has at most. */
  readonly maxTokens: number;
  readonly span: (lines: readonly string[], cursor: Place) => Span;
  /** Marks come from the template, everything else from files: none of that is read as a special token. */
  readonly render: (prompt: EditPrompt) => readonly PromptPart[];
  /** Reads the output so far; `isEnded` means that the model has ended it. Lines of a change count in the window. */
  readonly read: (output: string, window: EditWindow, isEnded: boolean) => Reading;
}

/** Part of a prompt that the format wrote. */
export function mark(text: string): PromptPart {
  return { text, from: 'template' };
}

/** Part of a prompt that comes from a file. */
export function plain(text: string): PromptPart {
  return { text, from: 'message' };
}
