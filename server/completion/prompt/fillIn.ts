// Prompts that fill in between two texts, in the published form of the model: for /infill, /v1/completions with a
// suffix, and `flashline complete`. Special tokens in the texts stay text.
import type { Decoder } from '../decoder';
import { fimSegments, MAX_CHARACTERS_PER_TOKEN, type Segment } from './fimPrompt';
import type { HealedPrompt } from './healedDecode';
import { healing } from './healing';
import { lineEndOf, withLf, type LineEnd } from './lineEnds';
import { quotedFiles, quotedShare, quotedText } from './quotedFiles';
import type { Snippet } from './snippets';

export interface Hole {
  readonly prefix: string;
  readonly suffix: string;
  readonly fileName?: string | undefined;
  /** Pieces of other files, the most helpful last. */
  readonly others?: readonly Snippet[];
  /** Beginning of the text in the hole, which the output continues. */
  readonly begun?: string;
}

export interface FillIn {
  readonly promptIds: readonly number[];
  /** Prompt to try first, without the last characters before the hole; undefined if no token is incomplete there. */
  readonly healed: HealedPrompt | undefined;
  /** Line end of the texts; the prompt has \n. */
  readonly lineEnd: LineEnd;
  /** Whether the prompt leaves out some of the text around the hole. */
  readonly isCut: boolean;
}

/** Name that llama.cpp gives to a file without one. */
const NO_NAME = 'filename';
/** Languages whose comments do not begin with slashes, by the ends of their files' names. */
const LANGUAGES: readonly (readonly [languageId: string, fileNames: RegExp])[] = [
  ['python', /\.(pyi?|rb|sh|ya?ml|toml|mk|r|pl|exs?|jl|coffee|ps1)$|(^|\/)(Makefile|Dockerfile)$/i],
  ['sql', /\.(sql|lua|hs|elm)$/i],
  ['html', /\.(html?|xml|md|vue|svelte)$/i],
  ['css', /\.css$/i],
];
/**
 * Maximum length of a line, in characters. The far part of a longer one is left out: it helps least and takes longest
 * to encode.
 */
const MAX_LINE_LENGTH = 16_000;
const LONG_LINE = new RegExp(`(?<![^\\n])[^\\n]{${String(MAX_LINE_LENGTH)},}`, 'g');

/** A hole, cut to what a prompt has room for. */
export class FillInPrompt {
  readonly #tokenizer: Decoder['tokenizer'];
  readonly #budget: number;
  /** Maximum tokens of other files. */
  readonly #quotedTokens: number;
  readonly #prefix: string;
  readonly #suffix: string;
  readonly #others: readonly Snippet[];
  readonly #languageId: string;
  /** Characters before cutting, on both sides. */
  readonly #characters: number;
  readonly #lineEnd: LineEnd;

  constructor(
    private readonly hole: Hole,
    { tokenizer, contextTokens }: Pick<Decoder, 'tokenizer' | 'contextTokens'>,
    maxTokens: number,
  ) {
    const { fileName, others = [], begun = '' } = hole;
    const head = hole.prefix + begun;
    const [prefix, suffix] = [withLf(head), withLf(hole.suffix)];
    this.#tokenizer = tokenizer;
    this.#budget = promptBudget(contextTokens, maxTokens);
    this.#quotedTokens = this.#budget * quotedShare(this.#budget, { prefix, suffix });
    this.#prefix = withoutLongLines(prefix);
    this.#suffix = untilLongLine(suffix);
    this.#others = fitting(others, this.#quotedTokens * MAX_CHARACTERS_PER_TOKEN);
    this.#languageId = languageOf(fileName ?? others.at(-1)?.fileName ?? '');
    this.#characters = prefix.length + suffix.length;
    this.#lineEnd = lineEndOf(head + hole.suffix);
  }

  /** Texts that `build` encodes, so that a caller can encode them in steps beforehand. A line or two can differ. */
  get texts(): readonly string[] {
    const reach = this.#budget * MAX_CHARACTERS_PER_TOKEN;
    const quoted = this.#others.map((snippet) => quotedText(snippet, this.#languageId, this.#tokenizer));
    return [...quoted, this.#prefix.slice(-reach), this.#suffix.slice(0, reach)];
  }

  /** Returns undefined if the model cannot fill in. */
  build(): FillIn | undefined {
    const segments = this.#segments(this.#prefix);
    if (segments === undefined) return undefined;
    const healed = healing(this.#prefix, this.#tokenizer);
    const sides = segments.filter(({ name }) => name === 'before' || name === 'after');
    const kept = sides.reduce((sum, { characters }) => sum + characters, 0);
    return {
      promptIds: idsOf(segments),
      healed: healed && {
        ids: idsOf(this.#segments(healed.kept) ?? segments),
        removed: healed.removed,
      },
      lineEnd: this.#lineEnd,
      isCut: kept < this.#characters,
    };
  }

  #segments(prefix: string): Segment[] | undefined {
    const quoted = quotedFiles(this.#others, this.#languageId, this.#quotedTokens, this.#tokenizer);
    const fileName = this.hole.fileName ?? NO_NAME;
    const context = { fileName, prefix, suffix: this.#suffix, ...quoted };
    return fimSegments(context, this.#tokenizer, this.#budget);
  }
}

/** Returns the maximum length of a prompt, in tokens: at least half of the context, however long its output can be. */
export function promptBudget(contextTokens: number, maxTokens: number): number {
  return Math.max(contextTokens - maxTokens, Math.ceil(contextTokens / 2));
}

function idsOf(segments: readonly Segment[]): number[] {
  return segments.flatMap(({ ids }) => ids);
}

/** Returns the text from the end of the last long line on. */
function withoutLongLines(prefix: string): string {
  const last = [...prefix.matchAll(LONG_LINE)].at(-1);
  return last ? prefix.slice(last.index + last[0].length - MAX_LINE_LENGTH) : prefix;
}

/** Returns the text up to the beginning of the first long line. */
function untilLongLine(suffix: string): string {
  const [first] = suffix.matchAll(LONG_LINE);
  return first ? suffix.slice(0, first.index + MAX_LINE_LENGTH) : suffix;
}

/** Returns the last pieces that fit into `maxCharacters` together, without those that have a long, generated line. */
function fitting(others: readonly Snippet[], maxCharacters: number): readonly Snippet[] {
  let room = maxCharacters;
  return others
    .map(({ fileName, text }) => ({ fileName, text: withLf(text) }))
    .filter(({ text }) => text.length <= maxCharacters && text.search(LONG_LINE) < 0)
    .reverse()
    .filter(({ fileName, text }) => (room -= fileName.length + text.length) >= 0)
    .reverse();
}

/** Returns a language that has the same comments as the file's own; '' for comments with slashes. */
function languageOf(fileName: string): string {
  return LANGUAGES.find(([, fileNames]) => fileNames.test(fileName))?.[0] ?? '';
}
