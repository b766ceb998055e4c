// The published forms of fill-in-the-middle prompts, as data: which special tokens, in which order, what ends an answer,
// and how file names and other files are written. A model is told by the tokens of its vocabulary. Builds nothing.
import type { Decoder } from '../decoder';
import { specialTokenIds, type SpecialTokens } from './specialTokens';

/** What stands between the special tokens: the name of the file with a line end, and the text around the cursor. */
const TEXTS: readonly string[] = ['name', 'before', 'after'];

export interface FimForm {
  /** Special tokens, and between them the texts, in the order that gives the better answers. */
  readonly parts: readonly string[];
  /** The token that begins another file, before its name and text. A form without one has no place for others. */
  readonly otherFile?: string;
  /** Tokens that end an answer, if the vocabulary has them. Those of the prompt end it too. */
  readonly ends: readonly string[];
  /** Further tokens by which the family is told apart. */
  readonly marks?: readonly string[];
  /** Whether a model has the tokens and was not trained to use them, by the name of its repository. */
  readonly untrained?: (name: string, isBase: boolean) => boolean;
}

/** Prefix, suffix, middle, which most models know. */
function psm(prefix: string, suffix: string, middle: string): readonly string[] {
  return [prefix, 'before', suffix, 'after', middle];
}

/** Suffix, prefix, middle: what keys change stands at the end, so that the start of the prompt need not be read again. */
function spm(prefix: string, suffix: string, middle: string): readonly string[] {
  return [suffix, 'after', prefix, 'before', middle];
}

const BARS = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'] as const;
const BRACKETS = ['<fim_prefix>', '<fim_suffix>', '<fim_middle>'] as const;
const FILE_NAME = ['<|file_sep|>', 'name'] as const;
const QWEN_ENDS = ['<|fim_pad|>', '<|repo_name|>', '<|endoftext|>', '<|im_end|>'];

/** The first form whose tokens the vocabulary has is used, so narrower ones come first. */
const FORMS: readonly FimForm[] = [
  // The built-in pair. Its tokens are Qwen's, its order is Mellum's. Quotes in comments help it more than the token
  // between files (18 of 87 holes for 11).
  { parts: [...FILE_NAME, ...spm(...BARS)], ends: QWEN_ENDS, marks: ['<|mask|>'] },
  // Qwen2.5-Coder, Qwen3-Coder and the base models. Qwen's chat models have the tokens and answer in prose.
  {
    parts: [...FILE_NAME, ...psm(...BARS)],
    otherFile: '<|file_sep|>',
    ends: QWEN_ENDS,
    untrained: (name, isBase) => !isBase && /qwen/i.test(name) && !/cod(e|ing)/i.test(name),
  },
  // CodeGemma.
  {
    parts: psm(...BARS),
    ends: ['<|file_separator|>', '<|fim_pad|>', '<eos>', '<|endoftext|>', '<|end_of_text|>'],
  },
  // Mellum, as JetBrains documents it. It has StarCoder's four tokens and puts the text after the cursor first.
  {
    parts: ['<filename>', 'name', ...spm(...BRACKETS)],
    otherFile: '<filename>',
    ends: ['<|endoftext|>', '<|im_end|>', '<reponame>', '<fim_pad>'],
    marks: ['<assistant>', '<|im_start|>'],
  },
  // StarCoder2 and CodeQwen, which read whole repositories.
  {
    parts: ['<file_sep>', 'name', ...psm(...BRACKETS)],
    otherFile: '<file_sep>',
    ends: ['<fim_pad>', '<repo_name>', '<reponame>', '<|endoftext|>'],
  },
  // StarCoder and Granite Code.
  { parts: psm(...BRACKETS), ends: ['<fim_pad>', '<filename>', '<reponame>', '<|endoftext|>'] },
  // Code Llama.
  { parts: psm('▁<PRE>', '▁<SUF>', '▁<MID>'), ends: ['▁<EOT>', '</s>'] },
  // Codestral. Every model with Mistral's Tekken vocabulary has the tokens.
  {
    parts: ['[SUFFIX]', 'after', '[PREFIX]', 'before'],
    ends: ['[MIDDLE]', '</s>'],
    untrained: (name) => /mistral|mixtral|pixtral|magistral/i.test(name) && !/codestral|devstral/i.test(name),
  },
  // DeepSeek-Coder.
  {
    parts: psm('<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>'),
    ends: ['<|EOT|>', '<｜end▁of▁sentence｜>'],
  },
  // Seed-Coder.
  { parts: spm('<[fim-prefix]>', '<[fim-suffix]>', '<[fim-middle]>'), ends: ['<[end▁of▁sentence]>'] },
  // GLM from 4.5 on, and CodeGeeX. Where a turn of somebody else would begin, the answer has ended.
  {
    parts: psm('<|code_prefix|>', '<|code_suffix|>', '<|code_middle|>'),
    ends: ['<|endoftext|>', '<|user|>', '<|observation|>'],
  },
];

/** Undefined if the vocabulary has the tokens of no form: the model cannot infill. */
export function fimForm(vocabulary: SpecialTokens): FimForm | undefined {
  return FORMS.find((form) =>
    [...tokensOf(form), ...(form.marks ?? [])].every(
      (content) => vocabulary.specialTokenId(content) !== undefined,
    ),
  );
}

/** Ids of the tokens that end what a model fills in, including those that would begin something else. */
export function fimEndTokenIds(vocabulary: SpecialTokens): number[] {
  const form = fimForm(vocabulary);
  if (form === undefined) return [];
  return [...new Set(specialTokenIds([...tokensOf(form), ...form.ends], vocabulary))];
}

/** Special tokens of a form's prompts. */
export function tokensOf({ parts }: FimForm): string[] {
  return parts.filter((part) => !TEXTS.includes(part));
}

/** What is known of a model once it is loaded. */
export interface InfillFacts extends Pick<Decoder, 'tokenizer' | 'encodeChat'> {
  /** Of its repository or folder. */
  readonly name: string;
  /** It only continues text. */
  readonly isBase: boolean;
}

export function infillOf({ name, isBase, tokenizer, encodeChat }: InfillFacts): Decoder['infill'] {
  const form = fimForm(tokenizer);
  if (form && !form.untrained?.(name, isBase)) return 'fim';
  const chat = isBase ? undefined : encodeChat([{ role: 'user', content: 'Hello' }]);
  return chat === undefined ? 'prefix' : 'chat';
}
