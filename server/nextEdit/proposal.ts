// Runs a model over a window up to its first change, and judges that change.
import type { DecodeLimits } from '../completion/decoder';
import type { SessionDecoder } from '../completion/session/completionSession';
import type { EditFormat } from './editFormat';
import type { EditPrompt } from './editWindow';
import { refusal } from './refusals';
import type { Reading } from './rewrite';

/** Decoder of one request for an edit. */
export type EditDecoder = Pick<SessionDecoder, 'tokenizer' | 'contextTokens' | 'decode' | 'record'>;

/** Maximum length of an output, in tokens. */
const MAX_TOKENS = 1024;

/**
 * Returns the change that the model proposes, with line numbers of the document; never `open`. Bad output is refused,
 * and causes no error.
 */
export async function propose(
  prompt: EditPrompt,
  format: EditFormat,
  decoder: EditDecoder,
  { signal, onOutput }: { readonly signal: AbortSignal; readonly onOutput: (output: string) => void },
): Promise<Reading> {
  const { window } = prompt;
  const { tokenizer } = decoder;
  const parts = format.render(prompt);
  const stopTokenIds = idsOf(format.stops, tokenizer);
  // A server that takes the prompt as text reads marks in file contents as special tokens.
  const takesText = stopTokenIds.length === 0;
  const has = (marks: readonly string[], text: string): boolean => marks.some((mark) => text.includes(mark));
  if (takesText && parts.some(({ text, from }) => from === 'message' && has(format.marks, text)))
    return { kind: 'refused', reason: 'marks in the file' };
  // In the output, such a mark of the file looks like one of the format.
  if (has(format.spelled, window.lines.join('\n'))) return { kind: 'refused', reason: 'marks in the file' };
  const promptIds = tokenizer.encodeParts(parts);
  const maxTokens = Math.min(MAX_TOKENS, decoder.contextTokens - promptIds.length);
  if (maxTokens < 1) return { kind: 'refused', reason: 'no room in the context' };
  const read = (output: string, isEnded = false): Reading =>
    format.read(output.replaceAll('\r\n', '\n'), window, isEnded);
  const limits: DecodeLimits = {
    maxTokens,
    stopTokenIds,
    spelledTokenIds: idsOf(format.spelled, tokenizer),
    stopStrings: takesText ? format.stops : [],
    isComplete: (text) => read(text).kind !== 'open',
    promptLookupIds: tokenizer.encodeParts([
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
  if (reading.kind === 'open') return { kind: 'refused', reason: 'cut off' };
  if (reading.kind !== 'change') return reading;
  const { change } = reading;
  const reason = refusal(change, prompt, format.marks);
  if (reason !== undefined) return { kind: 'refused', reason };
  return { kind: 'change', change: { ...change, at: change.at + window.from } };
}

function idsOf(tokens: readonly string[], tokenizer: EditDecoder['tokenizer']): number[] {
  return tokens.flatMap((token) => tokenizer.specialTokenId(token) ?? []);
}
