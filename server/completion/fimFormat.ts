// The published forms of fill-in-the-middle prompts, chosen by the special tokens that a vocabulary has. Knows neither
// documents nor models; whether a model was trained on its form is probed at load.

/**
 * Prefix-suffix-middle is known to most models that can infill. Suffix-prefix-middle lets the output follow the
 * text before the cursor directly, so tokens may reach over it, and typing leaves the start of the prompt as it is.
 */
export type FimLayout = 'psm' | 'spm';

/** A special token, or one of the texts around the cursor. */
export type FimPart = { readonly token: string } | 'name' | 'before' | 'after';

export interface FimFormat {
  readonly layouts: Readonly<Partial<Record<FimLayout, readonly FimPart[]>>>;
  /** Begins another file, whose name and text follow; a form without it has no place for other files. */
  readonly otherFile?: string;
  /** Tokens that end an answer, where a vocabulary has them. Those of the prompt end it too. */
  readonly ends: readonly string[];
}

/** What is asked of a vocabulary. */
export interface SpecialTokens {
  /** The id of a special token, by its exact spelling. */
  specialTokenId(content: string): number | undefined;
}

const token = (content: string): FimPart => ({ token: content });

function psm(prefix: string, suffix: string, middle: string): readonly FimPart[] {
  return [token(prefix), 'before', token(suffix), 'after', token(middle)];
}

function spm(prefix: string, suffix: string, middle: string): readonly FimPart[] {
  return [token(prefix), token(suffix), 'after', token(middle), 'before'];
}

const BARS = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'] as const;
const BRACKETS = ['<fim_prefix>', '<fim_suffix>', '<fim_middle>'] as const;
const CODE_LLAMA = ['▁<PRE>', '▁<SUF>', '▁<MID>'] as const;
const FILE_NAME = [token('<|file_sep|>'), 'name'] as const;

/** The first one whose tokens a vocabulary has is used, so narrower ones come first. */
const FORMATS: readonly FimFormat[] = [
  // Qwen2.5-Coder, Qwen3-Coder and their relatives.
  {
    layouts: { psm: [...FILE_NAME, ...psm(...BARS)], spm: [...FILE_NAME, ...spm(...BARS)] },
    otherFile: '<|file_sep|>',
    ends: ['<|fim_pad|>', '<|repo_name|>', '<|endoftext|>', '<|im_end|>'],
  },
  // CodeGemma.
  {
    layouts: { psm: psm(...BARS) },
    ends: ['<|file_separator|>', '<|fim_pad|>', '<eos>', '<|endoftext|>', '<|end_of_text|>'],
  },
  // StarCoder's tokens, as in CodeQwen and Granite Code.
  {
    layouts: { psm: psm(...BRACKETS), spm: spm(...BRACKETS) },
    ends: ['<fim_pad>', '<file_sep>', '<filename>', '<repo_name>', '<reponame>', '<|endoftext|>'],
  },
  // Code Llama.
  { layouts: { psm: psm(...CODE_LLAMA), spm: spm(...CODE_LLAMA) }, ends: ['▁<EOT>', '</s>'] },
  // Codestral.
  {
    layouts: { spm: [token('[SUFFIX]'), 'after', token('[PREFIX]'), 'before'] },
    ends: ['[MIDDLE]', '</s>'],
  },
  // DeepSeek-Coder.
  {
    layouts: { psm: psm('<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>') },
    ends: ['<|EOT|>', '<｜end▁of▁sentence｜>'],
  },
];

/** Undefined where a vocabulary has the tokens of none: the model cannot infill. */
export function fimFormat(vocabulary: SpecialTokens): FimFormat | undefined {
  return FORMATS.find((format) =>
    tokensOf(format).every((content) => vocabulary.specialTokenId(content) !== undefined),
  );
}

/** Ids of the tokens that end what a model fills in: those that would begin something else too. */
export function fimEndTokenIds(vocabulary: SpecialTokens): number[] {
  const format = fimFormat(vocabulary);
  if (format === undefined) return [];
  const ids = [...tokensOf(format), ...format.ends].map((content) => vocabulary.specialTokenId(content));
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** The layouts that there are, the one that most models know first. */
export function fimLayouts(vocabulary: SpecialTokens): FimLayout[] {
  const layouts = fimFormat(vocabulary)?.layouts ?? {};
  return (['psm', 'spm'] as const).filter((layout) => layouts[layout] !== undefined);
}

function tokensOf({ layouts, otherFile }: FimFormat): string[] {
  const parts = [...(layouts.psm ?? []), ...(layouts.spm ?? [])];
  const contents = parts.flatMap((part) => (typeof part === 'string' ? [] : [part.token]));
  return [...new Set([...contents, ...(otherFile === undefined ? [] : [otherFile])])];
}
