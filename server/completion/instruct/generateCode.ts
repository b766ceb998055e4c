// Generates code from an instruction, for a range of a document. Models that follow instructions get a chat; others,
// and those for which the chat is too long, get the instruction as a comment above the range.
import { ChatCode, trimmed } from './chatCode';
import { codeFence } from '../prompt/codeFence';
import {
  completionContext,
  leadingSpace,
  type CompletionContext,
  type DocumentSnapshot,
} from '../prompt/context';
import type { Decoder } from '../decoder';
import { GhostTextEnd } from '../suggestion/ghostTextEnd';
import { CursorOutput } from '../prompt/cursorOutput';
import { withLf } from '../prompt/lineEnds';
import { promptBudget } from '../prompt/promptTokens';
import { commentLines, isComment } from '../syntax/language';
import { turnEndTokenIds } from '../prompt/specialTokens';

export interface GenerateRequest {
  readonly document: DocumentSnapshot;
  /** Start of the range that the code replaces, which can be empty. */
  readonly start: number;
  readonly end: number;
  readonly instruction: string;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

/** The range that the code replaces, with its surroundings, and the limits of the prompt and the output. */
interface InsertionPoint {
  /** Context at the start of the range, in the document without the range. */
  readonly context: CompletionContext;
  readonly selection: string;
  /** Indentation of the code. */
  readonly base: string;
  /** Maximum length of the prompt, in tokens. */
  readonly budget: number;
  /** Maximum length of the output, in tokens. */
  readonly maxTokens: number;
}

/** Yields the text that replaces the range of the request, with the document's line ends. */
export async function* generateCode(
  request: GenerateRequest,
  decoder: Decoder,
): AsyncGenerator<string, void, undefined> {
  const point = insertionPoint(request, decoder.contextTokens);
  const chatIds = decoder.encodeChat(messages(point, request.instruction));
  const pieces =
    chatIds !== undefined && chatIds.length < point.budget
      ? chatCode(chatIds, point, request.signal, decoder)
      : withoutLoneComment(commentedCode(point, request, decoder), point.context);
  for await (const piece of trimmed(pieces)) yield piece.replaceAll('\n', point.context.eol);
}

/** Returns the context of the range's start; the output gets at most half of the model's context. */
function insertionPoint(
  { document, start, end, maxTokens }: GenerateRequest,
  contextTokens: number,
): InsertionPoint {
  const { text } = document;
  const selection = withLf(text.slice(start, end));
  const context = completionContext({ ...document, text: text.slice(0, start) + text.slice(end) }, start);
  const firstLine = context.lineBefore + (/^.*\S.*$/m.exec(selection)?.[0] ?? '');
  const budget = promptBudget(contextTokens, maxTokens);
  return {
    context,
    selection,
    base: leadingSpace(firstLine),
    budget,
    maxTokens: contextTokens - budget,
  };
}

/** Characters of the document that a chat prompt quotes on each side of the range. */
const MAX_QUOTED = 4_000;

/** Returns the chat that asks for the code. */
function messages({ context, selection }: InsertionPoint, instruction: string) {
  const { fileName, languageId, prefix, suffix } = context;
  const before = prefix.slice(-MAX_QUOTED);
  const after = suffix.slice(0, MAX_QUOTED);
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

/** Yields the code in a model's answer, whose code block the prompt has opened. */
function chatCode(
  chatIds: readonly number[],
  { context, base, maxTokens }: InsertionPoint,
  signal: AbortSignal,
  decoder: Decoder,
): AsyncIterable<string> {
  const fence = codeFence('');
  const { tokenizer } = decoder;
  const ids = [...chatIds, ...tokenizer.encodeText(`${fence}${context.languageId}\n`)];
  const limits = { maxTokens, stopStrings: [], stopTokenIds: turnEndTokenIds(tokenizer), signal };
  return new ChatCode(fence, base, context.lineBefore).read(decoder.decode(ids, limits));
}

/** Yields the code with which a model continues the document after the instruction in a comment. */
async function* commentedCode(
  point: InsertionPoint,
  { instruction, signal }: GenerateRequest,
  decoder: Decoder,
): AsyncGenerator<string, void, undefined> {
  const { context, selection, base, budget, maxTokens } = point;
  const { above, lineBefore, languageId } = context;
  // The code to replace is quoted in a comment: as code above the cursor it would seem to stay.
  const replaced = selection.trim() === '' ? '' : commentLines(selection, base, languageId);
  const missingIndent = lineBefore.trim() === '' ? base.slice(lineBefore.length) : '';
  const line = lineBefore + missingIndent;
  const commented = above + replaced + commentLines(instruction, base, languageId);
  const promptContext = { ...context, above: commented, lineBefore: line, prefix: commented + line };
  const request = { context: promptContext, snippets: [], budget, maxTokens, signal };
  const output = new CursorOutput(request, decoder);
  const end = new GhostTextEnd({ ...context, lineBefore: line, prefix: above + line }, 'answer');
  let text = '';
  let emitted = 0;
  let cut: number | undefined;
  for await (const piece of output.pieces()) {
    text += piece;
    cut = end.push(piece);
    if (emitted === 0 && end.certain > 0) yield missingIndent;
    yield text.slice(emitted, end.certain);
    emitted = end.certain;
    if (cut !== undefined) break;
  }
  // Unlike ghost text, generated code keeps a last line that the token limit has cut.
  cut ??= output.finishReason === 'repetition' ? end.certain : end.finish();
  const rest = text.slice(emitted, cut);
  if (emitted === 0 && rest !== '') yield missingIndent;
  yield rest;
}

/**
 * Holds comments back until code follows, and drops them if none does: a base model tends to continue the comment that
 * has the instruction. `pieces` are whole lines, or the indentation before them.
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
