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
/** No vocabulary has so many characters per token on average, so a longer text need not be read whole. */
const MAX_CHARACTERS_PER_TOKEN = 16;

/**
 * `<|file_sep|>NAME\n<|fim_prefix|>...<|fim_suffix|>...<|fim_middle|>` in at most `budget` tokens, or with the prefix
 * last; what is far from the cursor is left out. Undefined when the tokenizer lacks one of the tokens: the model cannot infill.
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
  const before = tokenizer.encodeText(prefix.slice(Math.max(0, prefix.length - reach)));
  const after = tokenizer.encodeText(suffix.slice(0, reach));
  const share = Math.floor(room * PREFIX_SHARE);
  // A side that is short leaves its room to the other.
  const kept = Math.min(before.length, Math.max(share, room - after.length));
  const keptBefore = before.slice(before.length - kept);
  const keptAfter = after.slice(0, room - kept);
  return layout === 'psm'
    ? [fileSep, ...name, fimPrefix, ...keptBefore, fimSuffix, ...keptAfter, fimMiddle]
    : [fileSep, ...name, fimPrefix, fimSuffix, ...keptAfter, fimMiddle, ...keptBefore];
}
