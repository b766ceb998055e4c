// Prompts that fill in between two texts, in the form that the model was trained on: of /infill, /v1/completions with a
// suffix, and `flashline complete`. Special tokens in the texts are text.
import type { Infill, Tokenizer } from '../decoder';
import { fimForm, fimSegments, MAX_CHARACTERS_PER_TOKEN } from './fimForm';
import { healing, type HealedPrompt } from '../text/healing';
import { lineEndOf, withLf, type LineEnd } from './context';
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

/** The model that fills in. */
export interface FillInModel extends Partial<Omit<Infill, 'infill'>> {
  readonly tokenizer: Tokenizer;
  readonly contextTokens: number;
}

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

/** A hole in a model's prompt, with what there is room for. */
export class HolePrompt {
  readonly #prefix: string;
  readonly #suffix: string;
  readonly #others: readonly Snippet[];
  readonly #languageId: string;
  readonly #budget: number;
  /** Tokens for other files. */
  readonly #quoted: number;

  constructor(
    private readonly hole: Hole,
    private readonly model: FillInModel,
    maxTokens: number,
  ) {
    const { contextTokens } = model;
    this.#budget = promptBudget(contextTokens, maxTokens);
    const others = hole.others?.map(({ fileName, text }) => ({ fileName, text: withLf(text) })) ?? [];
    this.#languageId = languageOf(hole.fileName ?? others.at(-1)?.fileName ?? '');
    this.#prefix = withLf(hole.prefix + (hole.begun ?? ''));
    this.#suffix = withLf(hole.suffix);
    this.#quoted = this.#budget * quotedShare(this.#budget, { prefix: this.#prefix, suffix: this.#suffix });
    this.#others = fitting(others, this.#quoted * MAX_CHARACTERS_PER_TOKEN);
  }

  /** All that has to be encoded, but for a line or two. */
  get texts(): readonly string[] {
    const reach = this.#budget * MAX_CHARACTERS_PER_TOKEN;
    const quoted = this.#others.map((other) => quotedText(other, this.#languageId, this.model));
    return [...quoted, this.#near.slice(-reach), this.#far.slice(0, reach)];
  }

  /** Undefined for a model that cannot fill in. */
  read(): FillIn | undefined {
    const { tokenizer, layout = fimForm(tokenizer)?.preferred } = this.model;
    const [near, far] = [this.#near, this.#far];
    const { fileName = NO_NAME } = this.hole;
    const quoted = quotedFiles(this.#others, this.#languageId, this.#quoted, this.model);
    const segments = (prefix: string) =>
      fimSegments({ fileName, prefix, suffix: far, ...quoted }, tokenizer, this.#budget, layout);
    const whole = segments(near);
    if (whole === undefined) return undefined;
    const ids = (all = whole): number[] => all.flatMap((segment) => segment.ids);
    const healed = healing(near, tokenizer);
    const sides = whole.filter(({ name }) => name === 'before' || name === 'after');
    const characters = sides.reduce((sum, side) => sum + side.characters, 0);
    return {
      promptIds: ids(),
      healed: healed && { ids: ids(segments(healed.kept)), removed: healed.removed },
      lineEnd: lineEndOf(this.hole.prefix + (this.hole.begun ?? '') + this.hole.suffix),
      isCut: characters < this.#prefix.length + this.#suffix.length,
    };
  }

  get #near(): string {
    const [last] = [...this.#prefix.matchAll(LONG_LINE)].slice(-1);
    return last ? this.#prefix.slice(last.index + last[0].length - LONGEST_LINE) : this.#prefix;
  }

  get #far(): string {
    const [first] = this.#suffix.matchAll(LONG_LINE);
    return first ? this.#suffix.slice(0, first.index + LONGEST_LINE) : this.#suffix;
  }
}

/** Tokens for a prompt: it keeps half of the context, however long its output may be. */
export function promptBudget(contextTokens: number, maxTokens: number): number {
  return Math.max(contextTokens - maxTokens, Math.ceil(contextTokens / 2));
}

/** The last ones that have so many characters in all, without those that have a long line, as no person wrote it. */
function fitting(others: readonly Snippet[], most: number): readonly Snippet[] {
  let room = most;
  return others
    .filter(({ text }) => text.length <= most && text.search(LONG_LINE) < 0)
    .reverse()
    .filter(({ text }) => (room -= text.length) >= 0)
    .reverse();
}

/** A language with such comments. */
function languageOf(fileName: string): string {
  return LANGUAGES.find(([, endings]) => endings.test(fileName))?.[0] ?? '';
}
