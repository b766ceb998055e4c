// The fill-in-the-middle prompt, in the published format whose special tokens the vocabulary has. Built from token
// segments: the user's text is never scanned for special tokens. Knows neither documents nor models.
import type { PromptPart } from '../../rules/promptPart';
import type { FimLayout, Infill, Tokenizer } from '../decoder';

const TEXTS: readonly string[] = ['name', 'before', 'after'];

interface FimFormat {
  /** Special tokens, and between them the texts around the cursor. */
  readonly layouts: Readonly<Partial<Record<FimLayout, readonly string[]>>>;
  /** The token that begins another file, before its name and text. A format without one has no place for others. */
  readonly otherFile?: string;
  /** Tokens that end an answer, if the vocabulary has them. Those of the prompt end it too. */
  readonly ends: readonly string[];
  /** A further token by which the family is told apart. */
  readonly mark?: string;
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

const BARS = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'] as const;
const BRACKETS = ['<fim_prefix>', '<fim_suffix>', '<fim_middle>'] as const;
const CODE_LLAMA = ['▁<PRE>', '▁<SUF>', '▁<MID>'] as const;
const FILE_NAME = ['<|file_sep|>', 'name'] as const;

const QWEN = {
  layouts: { psm: [...FILE_NAME, ...psm(...BARS)], spm: [...FILE_NAME, ...spm(...BARS)] },
  otherFile: '<|file_sep|>',
  ends: ['<|fim_pad|>', '<|repo_name|>', '<|endoftext|>', '<|im_end|>'],
} as const;

/** The first format whose tokens the vocabulary has is used, so narrower ones come first. */
const FORMATS: readonly FimFormat[] = [
  // The built-in pair, which was trained on single files: it fills 8 of 8 holes in spm, and quotes in comments help it
  // more than the token (18 of 87 holes for 11).
  { ...QWEN, mark: '<|mask|>', preferred: 'spm', otherFiles: 'commented' },
  // Qwen2.5-Coder, Qwen3-Coder and the base models. Qwen's chat models have the tokens and answer in prose.
  { ...QWEN, untrained: (name, isBase) => !isBase && /qwen/i.test(name) && !/cod(e|ing)/i.test(name) },
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
];

/** Undefined if the vocabulary has the tokens of no format: the model cannot infill. */
export function fimFormat(vocabulary: SpecialTokens): FimFormat | undefined {
  return FORMATS.find((format) =>
    [...tokensOf(format), ...(format.mark ? [format.mark] : [])].every(
      (content) => vocabulary.specialTokenId(content) !== undefined,
    ),
  );
}

/** Ids of the tokens that end what a model fills in, including those that would begin something else. */
export function fimEndTokenIds(vocabulary: SpecialTokens): number[] {
  const format = fimFormat(vocabulary);
  if (format === undefined) return [];
  const ids = [...tokensOf(format), ...format.ends].map((content) => vocabulary.specialTokenId(content));
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** All layouts, starting with the one in which a key changes only the end, so that the rest need not be read again. */
export function fimLayouts(vocabulary: SpecialTokens): FimLayout[] {
  const layouts = fimFormat(vocabulary)?.layouts ?? {};
  return (['spm', 'psm'] as const).filter((layout) => layouts[layout] !== undefined);
}

function tokensOf({ layouts }: FimFormat): string[] {
  return [...(layouts.psm ?? []), ...(layouts.spm ?? [])].filter((part) => !TEXTS.includes(part));
}

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

/** The tokens of `fimSegments`. */
export function fimPrompt(...asked: Parameters<typeof fimSegments>): number[] | undefined {
  return fimSegments(...asked)?.flatMap(({ ids }) => ids);
}

/**
 * The prompt in at most `budget` tokens, in the other layout if the format has only that; text far from the cursor is
 * left out, in steps. Undefined if the tokenizer has the tokens of no format: the model cannot infill.
 */
export function fimSegments(
  { fileName, prefix, suffix, otherFiles = [], quoted = [] }: FimContext,
  tokenizer: Tokenizer,
  budget: number,
  layout: FimLayout = 'psm',
): Segment[] | undefined {
  const layouts = fimFormat(tokenizer)?.layouts;
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
