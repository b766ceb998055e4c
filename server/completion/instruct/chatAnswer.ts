// An answer to a conversation, piece by piece and without the calls of tools in it.
import type { Decoder } from '../decoder';
import { specialTokenIds, turnEndTokenIds } from '../prompt/specialTokens';
import { CALL_TOKENS } from './toolCallForms';
import type { ToolCallReader } from './toolCallReader';

interface ChatAnswerOptions {
  readonly maxTokens: number;
  /** Undefined where there is nothing to call. */
  readonly reader: ToolCallReader | undefined;
  readonly signal: AbortSignal;
}

/** The text without its calls, which the reader has at the end. */
export async function* chatAnswer(
  promptIds: readonly number[],
  { maxTokens, reader, signal }: ChatAnswerOptions,
  decoder: Decoder,
): AsyncGenerator<string, void, undefined> {
  const { tokenizer } = decoder;
  const limits = {
    ...{ maxTokens, signal },
    stopStrings: [],
    stopTokenIds: turnEndTokenIds(tokenizer),
    spelledTokenIds: specialTokenIds(reader ? CALL_TOKENS : [], tokenizer),
  };
  for await (const { text } of decoder.decode(promptIds, limits)) {
    const piece = reader ? reader.push(text) : text;
    if (piece !== '') yield piece;
  }
  // What was cut off in the middle is no call.
  const rest = signal.aborted ? '' : (reader?.flush() ?? '');
  if (rest !== '') yield rest;
}
