// Builds the prompt for a suggestion: the text around a cursor as token ids, in the form that the model understands. It
// consists of segments that are encoded one by one, so special tokens in the user's text stay text.
import type { PartSize } from '../../rules/partSize';
import type { Tokenizer } from '../decoder';
import { chatFillIn } from './chatFillIn';
import { fimEndTokenIds } from './fimForm';
import { fimSegments, type Segment } from './fimPrompt';
import { CHARACTERS_PER_TOKEN, quotedFiles, quotedShare } from './quotedFiles';
import type { FittedParts, Prompt, PromptModel, PromptParts } from './promptParts';

/** Share of the budget for the text before the cursor. */
const PREFIX_SHARE = 0.75;

/**
 * Builds the prompt in the best form that the model knows: fill-in-the-middle, a chat, or plain text. Undefined if only
 * plain text is possible and the cursor has no text before it.
 */
export function completionPrompt(parts: PromptParts, model: PromptModel): Prompt | undefined {
  const fitted = { ...parts, ...nearCursor(parts) };
  const { infill, tokenizer } = model;
  const segments = infill === 'fim' ? fimParts(fitted, tokenizer) : undefined;
  if (segments !== undefined) return joinSegments(segments, tokenizer);
  return (infill === 'prefix' ? undefined : chatFillIn(fitted, model)) ?? plainPrompt(fitted, tokenizer);
}

/** Joins segments to a prompt, and counts the tokens of each part for statistics. */
function joinSegments(segments: readonly Segment[], tokenizer: Tokenizer): Prompt {
  const ids = segments.flatMap((segment) => segment.ids);
  const texts = segments.filter((segment) => segment.name !== 'format' && segment.ids.length > 0);
  const parts = texts.map(({ ids: partIds, ...part }) => ({ ...part, tokens: partIds.length }));
  const tokens = ids.length - parts.reduce((sum, part) => sum + part.tokens, 0);
  const format: readonly PartSize[] = tokens > 0 ? [{ name: 'format', characters: 0, tokens }] : [];
  return { ids, parts: [...parts, ...format], stopStrings: [], stopTokenIds: fimEndTokenIds(tokenizer) };
}

/** Cuts the texts before and after the cursor, in steps, so that most keys leave the start of the prompt unchanged. */
function nearCursor({ context, prefix, budget }: PromptParts): { prefix: string; suffix: string } {
  const room = budget * CHARACTERS_PER_TOKEN;
  const reach = Math.floor(room * PREFIX_SHARE);
  const step = Math.max(1, Math.floor(reach / 4));
  const inSteps = (length: number): number => Math.ceil(length / step) * step;
  // Measured without healing: the text that it removes comes back with the next key, and would move the cuts.
  const typed = context.prefix;
  const beyond = inSteps(Math.max(0, typed.length - reach));
  const lineStart = typed.indexOf('\n', beyond) + 1;
  // Cuts at the start of a line, or within a line that is longer than a step.
  const cutsLine = lineStart === 0 || lineStart - beyond > step;
  return {
    prefix: prefix.slice(beyond === 0 || cutsLine ? beyond : lineStart),
    // If the text before the cursor is short, the text after it gets the rest of the room.
    suffix: context.suffix.slice(0, Math.max(room - reach, room - inSteps(typed.length))),
  };
}

/** Returns the segments of a fill-in-the-middle prompt; undefined if the model knows no form of it. */
function fimParts({ context, prefix, suffix, snippets, budget }: FittedParts, tokenizer: Tokenizer) {
  const { fileName, languageId } = context;
  const quotedTokens = budget * quotedShare(budget, context.prefix.length + context.suffix.length);
  const otherFiles = quotedFiles(snippets, languageId, quotedTokens, tokenizer);
  return fimSegments({ fileName, prefix, suffix, ...otherFiles }, tokenizer, budget);
}

/** Returns the text before the cursor, for a model that only continues text; undefined without any. */
function plainPrompt({ prefix, budget }: FittedParts, tokenizer: Tokenizer): Prompt | undefined {
  const { ids: start, space } = tokenizer.textStart;
  // SentencePiece vocabularies put a space before the first word of a text.
  const all = prefix === '' ? [] : tokenizer.encodeText(space + prefix);
  const ids = all.slice(start.length - budget);
  if (ids.length === 0) return undefined;
  const { length: characters } = ids.length === all.length ? prefix : tokenizer.decode(ids);
  const format: Segment = { name: 'format', characters: 0, ids: start };
  return joinSegments([format, { name: 'before', characters, ids }], tokenizer);
}
