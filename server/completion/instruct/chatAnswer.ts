// Streams the answer to a conversation, without the tool calls in it.
import type { Decoder } from '../decoder';
import { specialTokenIds, turnEndTokenIds } from '../prompt/specialTokens';
import { CALL_TOKENS } from './toolCallForms';
import type { ToolCallReader } from './toolCallReader';

interface ChatAnswerOptions {
  readonly maxTokens: number;
  /** Reader that takes the tool calls out of the answer; undefined if there are no tools. */
  readonly reader: ToolCallReader | undefined;
  readonly signal: AbortSignal;
}

/** Yields the text without its tool calls; `reader.calls` has these at the end. */
export async function* chatAnswer(
  promptIds: readonly number[],
  { maxTokens, reader, signal }: ChatAnswerOptions,
  decoder: Decoder,
): AsyncGenerator<string, void, undefined> {
  const { tokenizer } = decoder;
  const limits = {
    maxTokens,
    signal,
    stopStrings: [],
    stopTokenIds: turnEndTokenIds(tokenizer),
    spelledTokenIds: specialTokenIds(reader ? CALL_TOKENS : [], tokenizer),
  };
  for await (const { text } of decoder.decode(promptIds, limits)) {
    const piece = reader ? reader.push(text) : text;
    if (piece !== '') yield piece;
  }
  // A cancelled answer can end within a call, so the rest is dropped.
  const rest = signal.aborted ? '' : (reader?.flush() ?? '');
  if (rest !== '') yield rest;
}
