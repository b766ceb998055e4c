// Prompts that fill in between two texts, in the form that the model was trained on: of /infill, /v1/completions with a
// suffix, and `flashline complete`. Special tokens in the texts are text.
import type { Decoder } from '../decoder';
import { fimSegments, MAX_CHARACTERS_PER_TOKEN } from './fimPrompt';
import type { HealedPrompt } from './healedDecode';
import { healing } from './healing';
import { lineEndOf, withLf, type LineEnd } from './lineEnds';
import { quotedFiles, quotedShare, quotedText } from './prompt';
import type { Snippet } from './snippets';

export interface Hole {
  readonly prefix: string;
  readonly suffix: string;
  readonly fileName?: string | undefined;
  /** Pieces of other files, the most helpful last. */
  readonly others?: readonly Snippet[];
  /** Text that the output continues, which follows the prefix directly. */
  readonly begun?: string;
}

/** What llama.cpp calls a file that has no name. */
const NO_NAME = 'filename';
/** Languages whose comments do not begin with slashes, by the endings of their files. */
const LANGUAGES: readonly (readonly [languageId: string, endings: RegExp])[] = [
  ['python', /\.(pyi?|rb|sh|ya?ml|toml|mk|r|pl|exs?|jl|coffee|ps1)$|(^|\/)(Makefile|Dockerfile)$/i],
  ['sql', /\.(sql|lua|hs|elm)$/i],
  ['html', /\.(html?|xml|md|vue|svelte)$/i],
  ['css', /\.css$/i],
];

export interface FillIn {
  readonly promptIds: readonly number[];
  /** A prompt to be tried first, which leaves out the last characters: its output must begin with them. */
  readonly healed: HealedPrompt | undefined;
  /** What the texts end their lines with; the prompt has \n. */
  readonly lineEnd: LineEnd;
  /** Whether some of the text around the hole was left out. */
  readonly isCut: boolean;
}

/** What is further away on one line than that is left out: nothing helps less, and takes longer to encode. */
const LONGEST_LINE = 16_000;
const LONG_LINE = new RegExp(`(?<![^\\n])[^\\n]{${String(LONGEST_LINE)},}`, 'g');

/**
 * A hole in a model's prompt, with what there is room for. `texts` are all that has to be encoded, but for a line or two;
 * `read` returns undefined for a model that cannot fill in.
 */
export function fillInPrompt(
  { fileName, others = [], ...hole }: Hole,
  { tokenizer, contextTokens }: Pick<Decoder, 'tokenizer' | 'contextTokens'>,
  maxTokens: number,
): { readonly texts: readonly string[]; readonly read: () => FillIn | undefined } {
  const head = hole.prefix + (hole.begun ?? '');
  const [prefix, suffix] = [withLf(head), withLf(hole.suffix)];
  const last = [...prefix.matchAll(LONG_LINE)].at(-1);
  const near = last ? prefix.slice(last.index + last[0].length - LONGEST_LINE) : prefix;
  const [first] = suffix.matchAll(LONG_LINE);
  const far = first ? suffix.slice(0, first.index + LONGEST_LINE) : suffix;
  const budget = promptBudget(contextTokens, maxTokens);
  const reach = budget * MAX_CHARACTERS_PER_TOKEN;
  const most = budget * quotedShare(budget, { prefix, suffix });
  const kept = fitting(others, most * MAX_CHARACTERS_PER_TOKEN);
  const languageId = languageOf(fileName ?? others.at(-1)?.fileName ?? '');
  const read = (): FillIn | undefined => {
    const quoted = quotedFiles(kept, languageId, most, tokenizer);
    const segments = (before: string) =>
      fimSegments(
        { fileName: fileName ?? NO_NAME, prefix: before, suffix: far, ...quoted },
        tokenizer,
        budget,
      );
    const whole = segments(near);
    if (whole === undefined) return undefined;
    const ids = (all = whole): number[] => all.flatMap((segment) => segment.ids);
    const healed = healing(near, tokenizer);
    const sides = whole.filter(({ name }) => name === 'before' || name === 'after');
    const characters = sides.reduce((sum, side) => sum + side.characters, 0);
    return {
      promptIds: ids(),
      healed: healed && { ids: ids(segments(healed.kept)), removed: healed.removed },
      lineEnd: lineEndOf(head + hole.suffix),
      isCut: characters < prefix.length + suffix.length,
    };
  };
  const quoted = kept.map((other) => quotedText(other, languageId, tokenizer));
  return { texts: [...quoted, near.slice(-reach), far.slice(0, reach)], read };
}

/** Tokens for a prompt: it keeps half of the context, however long its output may be. */
export function promptBudget(contextTokens: number, maxTokens: number): number {
  return Math.max(contextTokens - maxTokens, Math.ceil(contextTokens / 2));
}

/** The last ones that have so many characters in all, without those that have a long line, as no person wrote it. */
function fitting(others: readonly Snippet[], most: number): readonly Snippet[] {
  let room = most;
  return others
    .map(({ fileName, text }) => ({ fileName, text: withLf(text) }))
    .filter(({ text }) => text.length <= most && text.search(LONG_LINE) < 0)
    .reverse()
    .filter(({ fileName, text }) => (room -= fileName.length + text.length) >= 0)
    .reverse();
}

/** A language with such comments. */
function languageOf(fileName: string): string {
  return LANGUAGES.find(([, endings]) => endings.test(fileName))?.[0] ?? '';
}
