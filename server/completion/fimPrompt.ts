// The fill-in-the-middle prompt in the form that a vocabulary has tokens for, built from token segments: text that a
// person wrote is never scanned for special tokens. Knows neither documents nor models.
import { fimFormat, type FimLayout, type SpecialTokens } from './fimFormat';

export interface FimContext {
  /** Relative path or base name, as the model saw in training. */
  readonly fileName: string;
  /** Everything before the cursor. */
  readonly prefix: string;
  /** Everything after it. */
  readonly suffix: string;
  /** Tokens of other files, which come first. */
  readonly otherFiles?: readonly number[];
}

/** What a vocabulary puts at the start of every text. */
export interface TextStart {
  /** The begin token of models that were trained with one. */
  readonly ids: readonly number[];
  /** The space that some vocabularies put before the first word. */
  readonly space: '' | ' ';
}

/** What this layer needs of a tokenizer. */
export interface FimTokenizer extends SpecialTokens {
  readonly textStart: TextStart;
  encodeText(text: string): number[];
}

/** Of a text that is cut, three parts before the cursor to one after it. */
const PREFIX_SHARE = 0.75;
/** Of the room: cuts move in such steps, so that the next key press leaves them where they are. */
const STEP_SHARE = 1 / 8;
/** No vocabulary has so many characters per token on average, so a longer text need not be read whole. */
const MAX_CHARACTERS_PER_TOKEN = 16;

/**
 * The prompt in at most `budget` tokens, in the other layout where the form has only that; what is far from the cursor
 * is left out, in steps. Undefined when the tokenizer has the tokens of no form: the model cannot infill.
 */
export function fimPrompt(
  { fileName, prefix, suffix, otherFiles = [] }: FimContext,
  tokenizer: FimTokenizer,
  budget: number,
  layout: FimLayout = 'psm',
): number[] | undefined {
  const layouts = fimFormat(tokenizer)?.layouts;
  const parts = layouts?.[layout] ?? layouts?.psm ?? layouts?.spm;
  if (parts === undefined) return undefined;
  const { ids: start, space } = tokenizer.textStart;
  const name = parts.includes('name') ? tokenizer.encodeText(`${fileName}\n`) : [];
  const tokens = parts.filter((part) => typeof part !== 'string').length;
  const room = Math.max(0, budget - start.length - otherFiles.length - tokens - name.length);
  const reach = room * MAX_CHARACTERS_PER_TOKEN;
  const near = prefix.slice(leftOut(prefix.length, reach));
  const before = tokenizer.encodeText(near === '' ? '' : space + near);
  const after = tokenizer.encodeText(suffix.slice(0, reach));
  const kept = keptTokens(before.length, after.length, room);
  const texts = {
    name,
    before: before.slice(before.length - kept.before),
    after: after.slice(0, kept.after),
  };
  const own = parts.flatMap((part) =>
    typeof part === 'string' ? texts[part] : (tokenizer.specialTokenId(part.token) ?? []),
  );
  return [...start, ...otherFiles, ...own];
}

/** Tokens that stay on each side: all that fit, or up to a step fewer. */
function keptTokens(before: number, after: number, room: number): { before: number; after: number } {
  if (before + after <= room) return { before, after };
  // A side that is short leaves its room to the other.
  const most = Math.max(Math.floor(room * PREFIX_SHARE), room - after);
  const taken = Math.min(most, inSteps(before, room));
  return { before: before - leftOut(before, most, room), after: Math.min(after, room - taken) };
}

/** How much is left out, at the far end, so that no more than `most` stays; steps are a part of `whole`. */
function leftOut(length: number, most: number, whole = most): number {
  return Math.min(length, inSteps(Math.max(0, length - most), whole));
}

function inSteps(length: number, whole: number): number {
  const step = Math.max(1, Math.floor(whole * STEP_SHARE));
  return Math.ceil(length / step) * step;
}
