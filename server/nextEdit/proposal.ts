// Runs a model over a window up to its first change, and returns that change or the reason why there is none.
import type { DecodeLimits } from '../completion/decoder';
import type { SessionDecoder } from '../completion/session/completionSession';
import type { LineChange } from '../rules/lineDiff';
import { newUnseenAt } from '../rules/visibleText';
import type { EditFormat } from './editFormat';
import type { EditPrompt } from './editWindow';
import { refusal, repeatsNeighbours, type Reading } from './rewrite';

/** Matches special tokens of most models, which can arrive as text. */
const MARK = /<\|\w+\|>/g;

/** Decoder of one request for an edit. */
export type EditDecoder = Pick<SessionDecoder, 'tokenizer' | 'contextTokens' | 'decode' | 'record'>;

/**
 * Returns the change that the model proposes, with line numbers of the document, or the reason why there is none. Bad
 * output is a reason, never an error.
 */
export async function propose(
  prompt: EditPrompt,
  format: EditFormat,
  decoder: EditDecoder,
  { signal, onOutput }: { readonly signal: AbortSignal; readonly onOutput: (output: string) => void },
): Promise<LineChange | string> {
  const { window, cursor } = prompt;
  const windowText = window.lines.join('\n');
  const { tokenizer } = decoder;
  const parts = format.render(prompt);
  const stopTokenIds = idsOf(format.stops, tokenizer);
  // A server that takes the prompt as text reads marks in file contents as special tokens.
  const takesText = stopTokenIds.length === 0;
  const has = (marks: readonly string[], text: string): boolean => marks.some((mark) => text.includes(mark));
  if (takesText && parts.some(({ text, from }) => from === 'message' && has(format.marks, text)))
    return 'marks in the file';
  // In the output, such a mark of the file looks like one of the format.
  if (has(format.spelled, windowText)) return 'marks in the file';
  const promptIds = tokenizer.encodeParts(parts);
  const maxTokens = Math.min(format.maxTokens, decoder.contextTokens - promptIds.length);
  if (maxTokens < 1) return 'no room in the context';
  const read = (output: string, isEnded = false): Reading =>
    format.read(output.replaceAll('\r\n', '\n'), window, isEnded);
  const limits: DecodeLimits = {
    maxTokens,
    stopTokenIds,
    spelledTokenIds: idsOf(format.spelled, tokenizer),
    stopStrings: takesText ? format.stops : [],
    isComplete: (text) => read(text).kind !== 'open',
    promptLookupText: tokenizer.encodeParts([
      { text: window.lines.slice(window.head).join('\n'), from: 'message' },
    ]),
    signal,
  };
  let output = '';
  let isStopped = false;
  const onEnd: DecodeLimits['onEnd'] = (reason) => {
    isStopped = reason === 'stop';
  };
  let reading: Reading = { kind: 'open' };
  for await (const piece of decoder.decode(promptIds, { ...limits, onEnd })) {
    output += piece.text;
    onOutput(output);
    reading = read(output);
    if (reading.kind !== 'open') break;
  }
  if (reading.kind === 'open' && isStopped) reading = read(output, true);
  if (reading.kind === 'open') return 'cut off';
  if (reading.kind === 'same') return 'no change';
  if (reading.kind === 'refused') return reading.reason;
  const { change } = reading;
  const reason = refusal(change, window.lines, cursor.line - window.from);
  if (reason !== undefined) return reason;
  const isNew = (mark: string): boolean => !windowText.includes(mark);
  const added = change.added.join('\n');
  const marks = [...format.marks, ...(added.match(MARK) ?? [])];
  if (has(marks.filter(isNew), added)) return 'marks in the output';
  if (newUnseenAt(added, prompt.lines) !== undefined) return 'invisible characters';
  const found = { ...change, at: change.at + window.from };
  return repeatsNeighbours(found, prompt.lines) ? 'repeats the lines around it' : found;
}

function idsOf(tokens: readonly string[], tokenizer: EditDecoder['tokenizer']): number[] {
  return tokens.flatMap((token) => tokenizer.specialTokenId(token) ?? []);
}
