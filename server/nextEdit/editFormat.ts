// A prompt format of next-edit models: which lines a model rewrites, how to write the prompt and how to read the
// output.
import type { Position } from 'vscode-languageserver/node';
import type { PromptPart } from '../models/text/tokenizer';
import type { EditPrompt, EditWindow, Span } from './editWindow';
import type { Reading } from './rewrite';

export interface EditFormat {
  readonly name: string;
  /** Returns whether the models of this repository, folder or file were trained with this format. */
  readonly suits: (model: string) => boolean;
  /** Special tokens that a model of this format must have. */
  readonly required: readonly string[];
  /** Special tokens in prompts and outputs. A suggestion never adds one to the text. */
  readonly marks: readonly string[];
  /** Tokens that end the output; at most four, because other servers accept no more. */
  readonly stops: readonly string[];
  /** Special tokens of the output to decode to text, because `read` needs them. */
  readonly spelled: readonly string[];
  /** Chooses the lines of the window. */
  readonly span: (lines: readonly string[], cursor: Position) => Span;
  /** Builds the prompt. Its marks are special tokens; text from files never is. */
  readonly render: (prompt: EditPrompt) => readonly PromptPart[];
  /**
   * Reads the output so far; `isEnded` says that it is complete. Line numbers of a change count from the window's
   * start.
   */
  readonly read: (output: string, window: EditWindow, isEnded: boolean) => Reading;
}

/** Makes a prompt part in which special tokens take effect. */
export function mark(text: string): PromptPart {
  return { text, from: 'template' };
}

/** Makes a prompt part of text from a file, in which special tokens are plain text. */
export function plain(text: string): PromptPart {
  return { text, from: 'message' };
}
