// The fill-in-the-middle prompt of the Qwen family, built from token segments: text that a person wrote is
// never scanned for special tokens. Knows neither documents nor models.

export interface FimContext {
  /** Relative path or base name, as the model saw in training. */
  readonly fileName: string;
  /** Everything before the cursor. */
  readonly prefix: string;
  /** Everything after it. */
  readonly suffix: string;
}

/** What this layer needs of a tokenizer. */
export interface FimTokenizer {
  encodeText(text: string): number[];
  specialTokenId(content: string): number | undefined;
}

export const FIM_TOKENS = ['<|file_sep|>', '<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'] as const;

/**
 * Prefix-suffix-middle is known to every model that can infill. Suffix-prefix-middle lets the output follow the
 * text before the cursor directly, so tokens may reach over it, and typing leaves the start of the prompt as it is.
 */
export type FimLayout = 'psm' | 'spm';

/** Of a text that is cut, three parts before the cursor to one after it. */
const PREFIX_SHARE = 0.75;
/** Of the room: cuts move in such steps, so that the next key press leaves them where they are. */
const STEP_SHARE = 1 / 8;
/** No vocabulary has so many characters per token on average, so a longer text need not be read whole. */
const MAX_CHARACTERS_PER_TOKEN = 16;

/**
 * `<|file_sep|>NAME\n<|fim_prefix|>...<|fim_suffix|>...<|fim_middle|>` in at most `budget` tokens, or with the prefix
 * last; what is far from the cursor is left out, in steps. Undefined when the tokenizer lacks one of the tokens: the
 * model cannot infill.
 */
export function fimPrompt(
  { fileName, prefix, suffix }: FimContext,
  tokenizer: FimTokenizer,
  budget: number,
  layout: FimLayout = 'psm',
): number[] | undefined {
  const special = FIM_TOKENS.map((content) => tokenizer.specialTokenId(content));
  const [fileSep, fimPrefix, fimSuffix, fimMiddle] = special;
  if (
    fileSep === undefined ||
    fimPrefix === undefined ||
    fimSuffix === undefined ||
    fimMiddle === undefined
  ) {
    return undefined;
  }
  const name = tokenizer.encodeText(`${fileName}\n`);
  const room = Math.max(0, budget - special.length - name.length);
  const reach = room * MAX_CHARACTERS_PER_TOKEN;
  const before = tokenizer.encodeText(prefix.slice(leftOut(prefix.length, reach)));
  const after = tokenizer.encodeText(suffix.slice(0, reach));
  const kept = keptTokens(before.length, after.length, room);
  const keptBefore = before.slice(before.length - kept.before);
  const keptAfter = after.slice(0, kept.after);
  return layout === 'psm'
    ? [fileSep, ...name, fimPrefix, ...keptBefore, fimSuffix, ...keptAfter, fimMiddle]
    : [fileSep, ...name, fimPrefix, fimSuffix, ...keptAfter, fimMiddle, ...keptBefore];
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
