// From an instruction to code at a place in the document, streamed. Models that follow instructions are prompted in
// words; others get the instruction as a comment above the place.
import { ChatCode, codeFence, trimmed } from './chatCode';
import {
  completionContext,
  leadingSpace,
  type CompletionContext,
  type DocumentSnapshot,
} from '../prompt/context';
import type { Decoder } from '../decoder';
import { GhostTextEnd } from '../suggestion/ghostTextEnd';
import { HealedOutput } from '../prompt/healedOutput';
import { withLf } from '../prompt/lineEnds';
import { commentLines, isComment } from '../syntax/language';
import { turnEndTokenIds } from '../prompt/specialTokens';

export interface GenerateRequest {
  readonly document: DocumentSnapshot;
  /** Offsets of what the code replaces, or an empty range at the cursor. */
  readonly start: number;
  readonly end: number;
  readonly instruction: string;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

interface Place {
  /** The context at the start of the range; its suffix is what follows the end of the range. */
  readonly context: CompletionContext;
  readonly selection: string;
  /** Indentation of the code to be written. */
  readonly base: string;
  /** Tokens for the prompt and for the output. */
  readonly budget: number;
  readonly maxTokens: number;
}

/** Pieces of the text that replaces the range, with the document's line ends. */
export async function* generateCode(
  request: GenerateRequest,
  decoder: Decoder,
): AsyncGenerator<string, void, undefined> {
  const place = placeOf(request, decoder.contextTokens);
  const asked = decoder.encodeChat(messages(place, request.instruction));
  const pieces =
    asked !== undefined && asked.length < place.budget
      ? chatCode(asked, place, request.signal, decoder)
      : withoutLoneComment(commentedCode(place, request, decoder), place.context);
  for await (const piece of trimmed(pieces)) yield piece.replaceAll('\n', place.context.eol);
}

function placeOf({ document, start, end, maxTokens }: GenerateRequest, contextTokens: number): Place {
  const { text } = document;
  const selection = withLf(text.slice(start, end));
  const context = completionContext({ ...document, text: text.slice(0, start) + text.slice(end) }, start);
  const firstLine = context.lineBefore + (/^.*\S.*$/m.exec(selection)?.[0] ?? '');
  const output = Math.min(maxTokens, contextTokens >> 1);
  return {
    context,
    selection,
    base: leadingSpace(firstLine),
    budget: contextTokens - output,
    maxTokens: output,
  };
}

/** Characters of the document that a chat prompt quotes on each side of the place. */
const QUOTED = 4_000;

function messages({ context, selection }: Place, instruction: string) {
  const { fileName, languageId, prefix, suffix } = context;
  const before = prefix.slice(-QUOTED);
  const after = suffix.slice(0, QUOTED);
  const fence = codeFence(before + selection + after);
  const block = (title: string, code: string): string =>
    code.trim() === '' ? '' : `${title}\n${fence}${languageId}\n${code}\n${fence}\n\n`;
  const task =
    selection.trim() === '' ? 'Write the code that belongs between them' : 'Rewrite the selected code';
  return [
    {
      role: 'system',
      content:
        'You write code into a file. Answer with one code block and nothing else. Keep the style of the file.',
    },
    {
      role: 'user',
      content:
        `File ${fileName}.\n\n` +
        block('Code before:', before) +
        block('Selected code:', selection) +
        block('Code after:', after) +
        `${task}: ${instruction}`,
    },
  ] as const;
}

function chatCode(
  asked: readonly number[],
  { context, base, maxTokens }: Place,
  signal: AbortSignal,
  decoder: Decoder,
): AsyncIterable<string> {
  const fence = codeFence('');
  const { tokenizer } = decoder;
  const ids = [...asked, ...tokenizer.encodeText(`${fence}${context.languageId}\n`)];
  const limits = { maxTokens, stopStrings: [], stopTokenIds: turnEndTokenIds(tokenizer), signal };
  return new ChatCode(fence, base, context.lineBefore).in(decoder.decode(ids, limits));
}

async function* commentedCode(
  place: Place,
  { instruction, signal }: GenerateRequest,
  decoder: Decoder,
): AsyncGenerator<string, void, undefined> {
  const { context, selection, base, budget, maxTokens } = place;
  const { lineBefore, prefix, languageId } = context;
  const above = prefix.slice(0, prefix.length - lineBefore.length);
  // The replaced code would be mistaken for code that stays, so it is quoted in a comment.
  const old = selection.trim() === '' ? '' : commentLines(selection, base, languageId);
  const missing = lineBefore.trim() === '' ? base.slice(lineBefore.length) : '';
  const asked = above + old + commentLines(instruction, base, languageId) + lineBefore + missing;
  const asking = { ...context, prefix: asked };
  const output = new HealedOutput({ context: asking, snippets: [], budget, maxTokens, signal }, decoder);
  const end = new GhostTextEnd({ ...context, lineBefore: lineBefore + missing }, 'answer');
  let text = '';
  let given = 0;
  let cut: number | undefined;
  for await (const piece of output.pieces()) {
    text += piece;
    cut = end.push(piece);
    if (given === 0 && end.certain > 0) yield missing;
    yield text.slice(given, end.certain);
    given = end.certain;
    if (cut !== undefined) break;
  }
  cut ??= output.finishReason === 'repetition' ? end.certain : end.finish();
  const rest = text.slice(given, cut);
  if (given === 0 && rest !== '') yield missing;
  yield rest;
}

/**
 * Holds comments back until code follows them, and drops them if none does: a model that only completes likes to continue
 * the comment with the instruction. Pieces are whole lines.
 */
async function* withoutLoneComment(
  pieces: AsyncIterable<string>,
  { lineBefore, languageId }: CompletionContext,
): AsyncGenerator<string, void, undefined> {
  let held = '';
  let hasCode = isComment(lineBefore, languageId);
  for await (const piece of pieces) {
    if (hasCode) {
      yield piece;
      continue;
    }
    held += piece;
    const lines = (lineBefore + held).split('\n');
    hasCode = lines.some((line) => line.trim() !== '' && !isComment(line, languageId));
    if (hasCode) yield held;
  }
}
