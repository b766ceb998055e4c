// The published forms of fill-in-the-middle prompts, as data: special tokens and their order, end tokens, and the place
// of file names and other files. The form of a model is the first one whose tokens its vocabulary has.
import type { SpecialTokens } from '../../models/text/tokenizer';
import type { Decoder } from '../decoder';
import { specialTokenIds } from './specialTokens';

/** Names of the texts between the special tokens: the file name with a line end, and the texts around the cursor. */
const TEXTS: readonly string[] = ['name', 'before', 'after'];

export interface FimForm {
  /** Special tokens and TEXTS, in the order of the prompt. If a family knows two orders, the better one. */
  readonly parts: readonly string[];
  /** Token that begins another file, before its name and text. A form without it has no place for other files. */
  readonly otherFile?: string;
  /** Tokens that end an answer, if the vocabulary has them. The tokens of the prompt end it too. */
  readonly ends: readonly string[];
  /** Further tokens that distinguish the family from others. */
  readonly marks?: readonly string[];
  /** Returns whether the model of this repository has the tokens but was not trained to use them. */
  readonly untrained?: (name: string, isBase: boolean) => boolean;
}

/** Returns the parts in the order prefix, suffix, middle (PSM), which most models know. */
function psm(prefix: string, suffix: string, middle: string): readonly string[] {
  return [prefix, 'before', suffix, 'after', middle];
}

/**
 * Returns the parts in the order suffix, prefix, middle (SPM). Typing then changes only the end of the prompt, so more
 * of it stays in the cache.
 */
function spm(prefix: string, suffix: string, middle: string): readonly string[] {
  return [suffix, 'after', prefix, 'before', middle];
}

const BARS = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'] as const;
const BRACKETS = ['<fim_prefix>', '<fim_suffix>', '<fim_middle>'] as const;
const FILE_NAME = ['<|file_sep|>', 'name'] as const;
const QWEN_ENDS = ['<|fim_pad|>', '<|repo_name|>', '<|endoftext|>', '<|im_end|>'];

/** The first form whose tokens the vocabulary has is used, so forms with more tokens come first. */
const FORMS: readonly FimForm[] = [
  // The built-in pair: Qwen's tokens in Mellum's order. It fills more holes if other files are quoted in comments (18
  // of 87) than after the token between files (11).
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
    untrained: (name) =>
      /mistral|ministral|mixtral|pixtral|magistral/i.test(name) && !/codestral|devstral/i.test(name),
  },
  // DeepSeek-Coder.
  {
    parts: psm('<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>'),
    ends: ['<|EOT|>', '<｜end▁of▁sentence｜>'],
  },
  // Seed-Coder.
  { parts: spm('<[fim-prefix]>', '<[fim-suffix]>', '<[fim-middle]>'), ends: ['<[end▁of▁sentence]>'] },
  // GLM from 4.5 on, and CodeGeeX. The answer ends where a turn of another role would begin.
  {
    parts: psm('<|code_prefix|>', '<|code_suffix|>', '<|code_middle|>'),
    ends: ['<|endoftext|>', '<|user|>', '<|observation|>'],
  },
];

/** Returns the form of a model; undefined if its vocabulary has the tokens of no form, so that it cannot fill in. */
export function fimForm(vocabulary: SpecialTokens): FimForm | undefined {
  return FORMS.find((form) =>
    [...tokensOf(form), ...(form.marks ?? [])].every(
      (content) => vocabulary.specialTokenId(content) !== undefined,
    ),
  );
}

/** Returns the ids of tokens that end a filled-in text, including those that would begin another part of a prompt. */
export function fimEndTokenIds(vocabulary: SpecialTokens): number[] {
  const form = fimForm(vocabulary);
  if (form === undefined) return [];
  return [...new Set(specialTokenIds([...tokensOf(form), ...form.ends], vocabulary))];
}

/** Returns the special tokens in the prompts of a form. */
export function tokensOf({ parts }: FimForm): string[] {
  return parts.filter((part) => !TEXTS.includes(part));
}

/** The properties of a loaded model that decide how it fills in. */
interface InfillFacts {
  /** Name of its repository or folder. */
  readonly name: string;
  /** Whether it only continues text, and was not trained for chats. */
  readonly isBase: boolean;
  readonly tokenizer: SpecialTokens;
  readonly hasChatTemplate: boolean;
}

/** Returns how to prompt a model to fill a hole: in its form, else in a chat, else with the text before the hole. */
export function infillOf({ name, isBase, tokenizer, hasChatTemplate }: InfillFacts): Decoder['infill'] {
  const form = fimForm(tokenizer);
  if (form && !form.untrained?.(name, isBase)) return 'fim';
  return hasChatTemplate && !isBase ? 'chat' : 'prefix';
}
