// Builds fill-in-the-middle prompts for callers without a document: /infill, /v1/fim/completions, /v1/completions with
// a suffix, and `flashline complete`. Special tokens in the texts stay text.
import type { Tokenizer } from '../decoder';
import { commentLanguageOf } from '../syntax/language';
import { fimSegments, MAX_CHARACTERS_PER_TOKEN, type Segment } from './fimPrompt';
import { healing, type HealedPrompt } from './healing';
import { lineEndOf, withLf, type LineEnd } from './lineEnds';
import { promptBudget } from './promptTokens';
import { quotedFiles, quotedShare, quotedText } from './quotedFiles';
import type { Snippet } from './snippets';

/** The gap between two texts that the model fills. */
export interface Hole {
  readonly prefix: string;
  readonly suffix: string;
  readonly fileName?: string | undefined;
  /** Snippets of other files, the most helpful last. */
  readonly otherFiles?: readonly Snippet[];
  /** Beginning of the text in the hole, which the output continues. */
  readonly begun?: string;
}

/** A fill-in-the-middle prompt. */
export interface FillIn {
  readonly promptIds: readonly number[];
  /** Prompt to try first, which ends before an incomplete token; undefined if `healing` removes nothing. */
  readonly healed: HealedPrompt | undefined;
  /** Line end of the texts; the prompt itself has \n. */
  readonly lineEnd: LineEnd;
  /** Whether the prompt leaves out some of the text around the hole. */
  readonly isCut: boolean;
}

/** Name that llama.cpp gives to a file without a name. */
const NO_NAME = 'filename';
/**
 * Maximum length of a line, in characters. The far part of a longer one is left out: it helps least and takes longest
 * to encode.
 */
const MAX_HOLE_LINE_LENGTH = 16_000;
const LONG_LINE = new RegExp(`(?<![^\\n])[^\\n]{${String(MAX_HOLE_LINE_LENGTH)},}`, 'g');

/** Builds the prompt for a hole; cuts its texts to the length that fits. */
export class FillInPrompt {
  readonly #tokenizer: Tokenizer;
  /** Maximum tokens of the prompt. */
  readonly #budget: number;
  /** Maximum tokens for other files. */
  readonly #quotedTokens: number;
  readonly #prefix: string;
  readonly #suffix: string;
  readonly #otherFiles: readonly Snippet[];
  readonly #languageId: string;
  /** Characters on both sides before cutting. */
  readonly #characters: number;
  readonly #lineEnd: LineEnd;

  constructor(
    private readonly hole: Hole,
    { tokenizer, contextTokens }: { readonly tokenizer: Tokenizer; readonly contextTokens: number },
    maxTokens: number,
  ) {
    const { fileName, otherFiles = [], begun = '' } = hole;
    const head = hole.prefix + begun;
    const prefix = withLf(head);
    const suffix = withLf(hole.suffix);
    this.#tokenizer = tokenizer;
    this.#budget = promptBudget(contextTokens, maxTokens);
    this.#quotedTokens = this.#budget * quotedShare(this.#budget, prefix.length + suffix.length);
    this.#prefix = withoutLongLines(prefix);
    this.#suffix = untilLongLine(suffix);
    this.#otherFiles = fitting(otherFiles, this.#quotedTokens * MAX_CHARACTERS_PER_TOKEN);
    this.#languageId = commentLanguageOf(fileName ?? otherFiles.at(-1)?.fileName ?? '');
    this.#characters = prefix.length + suffix.length;
    this.#lineEnd = lineEndOf(head + hole.suffix);
  }

  /**
   * Texts that `build` encodes. A caller can encode them in steps beforehand, which fills the tokenizer's cache. The
   * cuts are approximate: `build` can encode a line or two more or less.
   */
  get texts(): readonly string[] {
    const reach = this.#budget * MAX_CHARACTERS_PER_TOKEN;
    const quoted = this.#otherFiles.map((snippet) => quotedText(snippet, this.#languageId, this.#tokenizer));
    return [...quoted, this.#prefix.slice(-reach), this.#suffix.slice(0, reach)];
  }

  /** Returns the prompt; undefined if the model has no fill-in-the-middle tokens. */
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
    const quoted = quotedFiles(this.#otherFiles, this.#languageId, this.#quotedTokens, this.#tokenizer);
    const fileName = this.hole.fileName ?? NO_NAME;
    const context = { fileName, prefix, suffix: this.#suffix, ...quoted };
    return fimSegments(context, this.#tokenizer, this.#budget);
  }
}

function idsOf(segments: readonly Segment[]): number[] {
  return segments.flatMap(({ ids }) => ids);
}

/** Returns the text after the last long line, with the end of that line. */
function withoutLongLines(prefix: string): string {
  const last = [...prefix.matchAll(LONG_LINE)].at(-1);
  return last ? prefix.slice(last.index + last[0].length - MAX_HOLE_LINE_LENGTH) : prefix;
}

/** Returns the text before the first long line, with the beginning of that line. */
function untilLongLine(suffix: string): string {
  const [first] = suffix.matchAll(LONG_LINE);
  return first ? suffix.slice(0, first.index + MAX_HOLE_LINE_LENGTH) : suffix;
}

/** Returns the last snippets that fit into `maxCharacters` together, without those that have a long, generated line. */
function fitting(snippets: readonly Snippet[], maxCharacters: number): readonly Snippet[] {
  let room = maxCharacters;
  return snippets
    .map(({ fileName, text }) => ({ fileName, text: withLf(text) }))
    .filter(({ text }) => text.length <= maxCharacters && text.search(LONG_LINE) < 0)
    .reverse()
    .filter(({ fileName, text }) => (room -= fileName.length + text.length) >= 0)
    .reverse();
}
