// An answer to a conversation, piece by piece and without the tool calls in it.
import type { Decoder } from '../decoder';
import { specialTokenIds, turnEndTokenIds } from '../prompt/specialTokens';
import { CALL_TOKENS } from './toolCallForms';
import type { ToolCallReader } from './toolCallReader';

interface ChatAnswerOptions {
  readonly maxTokens: number;
  /** Takes the tool calls out of the answer; undefined if there are no tools. */
  readonly reader: ToolCallReader | undefined;
  readonly signal: AbortSignal;
}

/** Yields the text without its tool calls, which the reader has at the end. */
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
  // A call that cancellation cuts off is dropped.
  const rest = signal.aborted ? '' : (reader?.flush() ?? '');
  if (rest !== '') yield rest;
}
