// The published forms of fill-in-the-middle prompts, as data: which special tokens, in which order, what ends an answer,
// and how file names and other files are written. A model is told by the tokens of its vocabulary. Builds nothing.
import type { FimLayout, Infill, Tokenizer, Decoder } from '../decoder';
import type { PromptPart } from '../../rules/promptPart';

/** What stands between the special tokens: the name of the file with a line end, and the text around the cursor. */
const TEXTS: readonly string[] = ['name', 'before', 'after'];

export interface FimForm {
  /** Special tokens, and between them the texts. */
  readonly layouts: Readonly<Partial<Record<FimLayout, readonly string[]>>>;
  /** The token that begins another file, before its name and text. A form without one has no place for others. */
  readonly otherFile?: string;
  /** Tokens that end an answer, if the vocabulary has them. Those of the prompt end it too. */
  readonly ends: readonly string[];
  /** Further tokens by which the family is told apart. */
  readonly marks?: readonly string[];
  /** The layout that gives better answers, where that is not psm. */
  readonly preferred?: FimLayout;
  /** How other files are quoted, where the family does not know the token between files. */
  readonly otherFiles?: Infill['otherFiles'];
  /** Whether a model has the tokens and was not trained to use them, by the name of its repository. */
  readonly untrained?: (name: string, isBase: boolean) => boolean;
}

/** What is needed of a tokenizer. */
export type SpecialTokens = Pick<Tokenizer, 'specialTokenId'>;

function psm(prefix: string, suffix: string, middle: string): readonly string[] {
  return [prefix, 'before', suffix, 'after', middle];
}

function spm(prefix: string, suffix: string, middle: string): readonly string[] {
  return [prefix, suffix, 'after', middle, 'before'];
}

/** The middle is marked, and what keys change stands at the end. */
function spmMarked(prefix: string, suffix: string, middle: string): readonly string[] {
  return [suffix, 'after', prefix, 'before', middle];
}

const BARS = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'] as const;
const BRACKETS = ['<fim_prefix>', '<fim_suffix>', '<fim_middle>'] as const;
const CODE_LLAMA = ['▁<PRE>', '▁<SUF>', '▁<MID>'] as const;
const FILE_NAME = ['<|file_sep|>', 'name'] as const;

const QWEN = {
  layouts: { psm: [...FILE_NAME, ...psm(...BARS)], spm: [...FILE_NAME, ...spm(...BARS)] },
  otherFile: '<|file_sep|>',
  ends: ['<|fim_pad|>', '<|repo_name|>', '<|endoftext|>', '<|im_end|>'],
} as const;

/** The first form whose tokens the vocabulary has is used, so narrower ones come first. */
const FORMS: readonly FimForm[] = [
  // The built-in pair. Its tokens are Qwen's, its order is Mellum's. Quotes in comments help it more than the token
  // (18 of 87 holes for 11).
  {
    ...QWEN,
    layouts: { spm: [...FILE_NAME, ...spmMarked(...BARS)] },
    marks: ['<|mask|>'],
    preferred: 'spm',
    otherFiles: 'commented',
  },
  // Qwen2.5-Coder, Qwen3-Coder and the base models. Qwen's chat models have the tokens and answer in prose.
  { ...QWEN, untrained: (name, isBase) => !isBase && /qwen/i.test(name) && !/cod(e|ing)/i.test(name) },
  // CodeGemma.
  {
    layouts: { psm: psm(...BARS) },
    ends: ['<|file_separator|>', '<|fim_pad|>', '<eos>', '<|endoftext|>', '<|end_of_text|>'],
  },
  // Mellum, as JetBrains documents it. It has StarCoder's four tokens and puts the text after the cursor first.
  {
    layouts: {
      psm: ['<filename>', 'name', ...psm(...BRACKETS)],
      spm: ['<filename>', 'name', ...spmMarked(...BRACKETS)],
    },
    otherFile: '<filename>',
    ends: ['<|endoftext|>', '<|im_end|>', '<reponame>', '<fim_pad>'],
    marks: ['<assistant>', '<|im_start|>'],
    preferred: 'spm',
  },
  // StarCoder2 and CodeQwen, which read whole repositories.
  {
    layouts: { psm: ['<file_sep>', 'name', ...psm(...BRACKETS)] },
    otherFile: '<file_sep>',
    ends: ['<fim_pad>', '<repo_name>', '<reponame>', '<|endoftext|>'],
  },
  // StarCoder and Granite Code.
  {
    layouts: { psm: psm(...BRACKETS), spm: spm(...BRACKETS) },
    ends: ['<fim_pad>', '<filename>', '<reponame>', '<|endoftext|>'],
  },
  // Code Llama.
  { layouts: { psm: psm(...CODE_LLAMA), spm: spm(...CODE_LLAMA) }, ends: ['▁<EOT>', '</s>'] },
  // Codestral. Every model with Mistral's Tekken vocabulary has the tokens.
  {
    layouts: { spm: ['[SUFFIX]', 'after', '[PREFIX]', 'before'] },
    ends: ['[MIDDLE]', '</s>'],
    preferred: 'spm',
    untrained: (name) => /mistral|mixtral|pixtral|magistral/i.test(name) && !/codestral|devstral/i.test(name),
  },
  // DeepSeek-Coder.
  {
    layouts: { psm: psm('<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>') },
    ends: ['<|EOT|>', '<｜end▁of▁sentence｜>'],
  },
  // Seed-Coder.
  {
    layouts: { spm: spmMarked('<[fim-prefix]>', '<[fim-suffix]>', '<[fim-middle]>') },
    ends: ['<[end▁of▁sentence]>'],
    preferred: 'spm',
  },
  // GLM from 4.5 on, and CodeGeeX. Where a turn of somebody else would begin, the answer has ended.
  {
    layouts: { psm: psm('<|code_prefix|>', '<|code_suffix|>', '<|code_middle|>') },
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

/** Those of the tokens that the vocabulary has. */
export function specialTokenIds(contents: readonly string[], vocabulary: SpecialTokens): number[] {
  return contents.flatMap((content) => vocabulary.specialTokenId(content) ?? []);
}

function tokensOf({ layouts }: FimForm): string[] {
  return [...(layouts.psm ?? []), ...(layouts.spm ?? [])].filter((part) => !TEXTS.includes(part));
}

/** What is known of a model once it is loaded. */
export interface InfillFacts extends Pick<Decoder, 'tokenizer' | 'encodeChat'> {
  /** Of its repository or folder. */
  readonly name: string;
  /** It only continues text. */
  readonly isBase: boolean;
}

export function infillOf({ name, isBase, tokenizer, encodeChat }: InfillFacts): Infill {
  const { untrained, preferred = 'psm', otherFiles } = fimForm(tokenizer) ?? { untrained: () => true };
  if (!untrained?.(name, isBase))
    return { infill: 'fim', layout: preferred, ...(otherFiles && { otherFiles }) };
  const chat = isBase ? undefined : encodeChat([{ role: 'user', content: 'Hello' }]);
  return { infill: chat === undefined ? 'prefix' : 'chat', layout: 'psm' };
}

// The fill-in-the-middle prompt, in the published form whose special tokens the vocabulary has. Built from token
// segments: the user's text is never scanned for special tokens. Knows neither documents nor models.

export interface FimContext {
  /** Relative path or base name, as in the model's training data. */
  readonly fileName: string;
  readonly prefix: string;
  readonly suffix: string;
  /** Other files, which come first. */
  readonly otherFiles?: readonly Segment[];
  /** Lines of comments that stand above the text before the cursor. */
  readonly quoted?: readonly Segment[];
}

/** The tokens of one part of a prompt. */
export interface Segment extends Omit<PromptPart, 'tokens'> {
  readonly ids: readonly number[];
}

/** A text that is cut keeps three parts before the cursor to one after it. */
const PREFIX_SHARE = 0.75;
/** A share of the room: cuts move in steps of it, so that the next key press leaves them where they are. */
const STEP_SHARE = 1 / 8;
/** No text averages this many characters per token, so a longer one need not be encoded whole. */
export const MAX_CHARACTERS_PER_TOKEN = 16;

/**
 * The prompt in at most `budget` tokens, in the other layout if the form has only that; text far from the cursor is
 * left out, in steps. Undefined if the tokenizer has the tokens of no form: the model cannot infill.
 */
export function fimSegments(
  { fileName, prefix, suffix, otherFiles = [], quoted = [] }: FimContext,
  tokenizer: Tokenizer,
  budget: number,
  layout: FimLayout = 'psm',
): Segment[] | undefined {
  const layouts = fimForm(tokenizer)?.layouts;
  const parts = layouts?.[layout] ?? layouts?.psm ?? layouts?.spm;
  if (parts === undefined) return undefined;
  const { ids: start, space } = tokenizer.textStart;
  const name = parts.includes('name') ? tokenizer.encodeText(`${fileName}\n`) : [];
  const tokens = start.length + name.length + parts.filter((part) => !TEXTS.includes(part)).length;
  const others = [...otherFiles, ...quoted].reduce((sum, { ids }) => sum + ids.length, 0);
  const room = Math.max(0, budget - tokens - others);
  const reach = room * MAX_CHARACTERS_PER_TOKEN;
  const near = prefix.slice(leftOut(prefix.length, reach));
  const far = suffix.slice(0, reach);
  const before = tokenizer.encodeText(near === '' || quoted.length > 0 ? near : space + near);
  const after = tokenizer.encodeText(far);
  const kept = keptTokens(before.length, after.length, room);
  const sized = (name: 'before' | 'after', text: string, all: readonly number[], ids: readonly number[]) => {
    return { name, characters: (ids.length === all.length ? text : tokenizer.decode(ids)).length, ids };
  };
  const texts = new Map<string, readonly Segment[]>([
    ['name', [{ name: 'fileName', characters: fileName.length, ids: name }]],
    ['before', [...quoted, sized('before', near, before, before.slice(before.length - kept.before))]],
    ['after', [sized('after', far, after, after.slice(0, kept.after))]],
  ]);
  const special = (token: string): Segment =>
    format([tokenizer.specialTokenId(token)].filter((id) => id !== undefined));
  const own = parts.flatMap((part) => texts.get(part) ?? special(part));
  return [format(start), ...otherFiles, ...own];
}

function format(ids: readonly number[]): Segment {
  return { name: 'format', characters: 0, ids };
}

/** Tokens that stay on each side: all that fit, or up to a step fewer. */
function keptTokens(before: number, after: number, room: number): { before: number; after: number } {
  if (before + after <= room) return { before, after };
  // A short side leaves its room to the other.
  const most = Math.max(Math.floor(room * PREFIX_SHARE), room - after);
  const taken = Math.min(most, inSteps(before, room));
  return { before: before - leftOut(before, most, room), after: Math.min(after, room - taken) };
}

/** How much is left out at the far end so that at most `most` stays; the step is a share of `whole`. */
function leftOut(length: number, most: number, whole = most): number {
  return Math.min(length, inSteps(Math.max(0, length - most), whole));
}

function inSteps(length: number, whole: number): number {
  const step = Math.max(1, Math.floor(whole * STEP_SHARE));
  return Math.ceil(length / step) * step;
}
