// Pre-tokenizers that split text as Hugging Face's Rust library does. Those of @huggingface/tokenizers 0.2.0 support
// two of the five behaviours of Split and none of Punctuation, get `invert` wrong, match \d, \w and \s as JavaScript
// does, and ignore the `split` of Metaspace.
import { PreTokenizer, SplitPreTokenizer } from '@huggingface/tokenizers';
import { quoted } from '../../rules/userError';
import type { ConfigFields } from '../checkpoint/configFields';
import { byteLetters } from './tokenBytes';

const BEHAVIOURS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

const PUNCTUATION = /[\p{P}!-/:-@[-`{-~]/gu;
const DIGIT = /\p{N}/gu;
const WHITE_SPACE = /\p{White_Space}/gu;
const WORD =
  /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\p{White_Space}]+/gu;
/** Pattern of GPT-2. */
const BYTE_LEVEL =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

interface Options {
  /** Index of this text in the list of texts between added tokens. */
  readonly section_index?: number;
}

function splitPattern(fields: ConfigFields): RegExp {
  const pattern = fields.nested('pattern');
  const compiled = pattern.has('Regex') || pattern.has('String') ? compile(pattern.object) : null;
  if (compiled) return compiled;
  throw fields.refusal('a Regex or String as pattern', quoted(fields.raw('pattern')));
}

/** Compiles a pattern; the library converts Oniguruma's syntax to that of JavaScript. */
function compile(pattern: object): RegExp | null {
  return new SplitPreTokenizer({ type: 'Split', pattern, behavior: 'Isolated' }).pattern;
}

/** Part of a text, from `from` to before `to`. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly isMatch: boolean;
}

/** Splits at the matches of a pattern. `behaviour` decides what becomes of the matches. */
class Split extends PreTokenizer {
  constructor(
    private readonly pattern: RegExp,
    private readonly behaviour: Behaviour,
    private readonly isInverted = false,
  ) {
    super();
  }

  override pre_tokenize_text(text: string): string[] {
    const matches = this.behaviour === 'Isolated' ? (text.match(this.pattern) ?? []) : [];
    // The usual case, ten times as fast: the matches cover the whole text.
    if (matches.reduce((sum, { length }) => sum + length, 0) === text.length) return matches.filter(isWord);
    return this.#joined(this.#pieces(text))
      .map(({ from, to }) => text.slice(from, to))
      .filter(isWord);
  }

  #pieces(text: string): Piece[] {
    const pieces: Piece[] = [];
    let end = 0;
    const add = (to: number, isMatch: boolean): void => {
      pieces.push({ from: end, to, isMatch: isMatch !== this.isInverted });
      end = to;
    };
    this.pattern.lastIndex = 0;
    for (const {
      0: { length },
      index,
    } of text.matchAll(this.pattern)) {
      if (index > end) add(index, false);
      add(index + length, true);
    }
    if (end < text.length) add(text.length, false);
    return pieces;
  }

  #joined(pieces: Piece[]): Piece[] {
    switch (this.behaviour) {
      case 'Isolated':
        return pieces;
      case 'Removed':
        return pieces.filter(({ isMatch }) => !isMatch);
      case 'Contiguous':
        return merged(pieces, (before, piece) => before.isMatch === piece.isMatch);
      case 'MergedWithPrevious':
        return merged(pieces, (before, piece) => piece.isMatch && !before.isMatch);
      case 'MergedWithNext':
        return merged(pieces, (before, piece) => before.isMatch && !piece.isMatch);
    }
  }
}

function isWord(word: string): boolean {
  return word !== '';
}

/** Merges pieces; `joins` returns whether a piece belongs to the one before it. */
function merged(pieces: readonly Piece[], joins: (before: Piece, piece: Piece) => boolean): Piece[] {
  const words: Piece[] = [];
  for (const [i, piece] of pieces.entries()) {
    const word = words.at(-1);
    const before = pieces[i - 1];
    if (word && before && joins(before, piece)) words[words.length - 1] = { ...piece, from: word.from };
    else words.push(piece);
  }
  return words;
}

/** Splits by several pre-tokenizers, each of which splits the words of the one before it. */
class Sequence extends PreTokenizer {
  constructor(private readonly steps: readonly PreTokenizer[]) {
    super();
  }

  override pre_tokenize_text(text: string, { section_index }: Options = {}): string[] {
    let words = [text];
    for (const step of this.steps)
      words = words.flatMap((word, i) =>
        step.pre_tokenize_text(word, i === 0 && section_index === 0 ? { section_index } : {}),
      );
    return words;
  }
}

/** Splits as GPT-2 does, and spells each byte as a letter. */
class ByteLevel extends PreTokenizer {
  constructor(
    private readonly addsSpace: boolean,
    private readonly splits: boolean,
  ) {
    super();
  }

  override pre_tokenize_text(text: string): string[] {
    const spaced = this.addsSpace && !text.startsWith(' ') ? ` ${text}` : text;
    return (this.splits ? (spaced.match(BYTE_LEVEL) ?? []) : [spaced]).map(byteLetters);
  }
}

/** Replaces spaces by SentencePiece's ▁, and splits before each ▁ unless the field `split` is false. */
class Metaspace extends PreTokenizer {
  readonly #space: string;
  readonly #prependScheme: string;
  readonly #splitter: Split | undefined;

  constructor(fields: ConfigFields) {
    super();
    this.#space = fields.has('replacement') ? fields.string('replacement') : '▁';
    const fallback = fields.boolean('add_prefix_space', true) ? 'always' : 'never';
    this.#prependScheme = fields.has('prepend_scheme') ? fields.string('prepend_scheme') : fallback;
    if (!['always', 'first', 'never'].includes(this.#prependScheme))
      throw fields.refusal('always, first or never as prepend_scheme', this.#prependScheme);
    const space = compile({ String: this.#space }) ?? /(?!)/g;
    this.#splitter = fields.boolean('split', true) ? new Split(space, 'MergedWithNext') : undefined;
  }

  override pre_tokenize_text(text: string, { section_index }: Options = {}): string[] {
    const spaced = text.replaceAll(' ', () => this.#space);
    const scheme = this.#prependScheme;
    const isPrepended = scheme === 'always' || (scheme === 'first' && section_index === 0);
    const word = isPrepended && !spaced.startsWith(this.#space) ? this.#space + spaced : spaced;
    return this.#splitter?.pre_tokenize_text(word) ?? [word];
  }
}

/** Creates a pre-tokenizer. Throws UserError for one that would split differently from the Rust library. */
export function preTokenizer(fields: ConfigFields): PreTokenizer {
  const type = fields.string('type');
  const behaviour = (fallback: Behaviour): Behaviour => {
    const value = fields.raw('behavior') ?? fallback;
    const behaviour = BEHAVIOURS.find((candidate) => candidate === value);
    if (behaviour === undefined) throw fields.refusal(`${BEHAVIOURS.join(', ')} as behavior`, quoted(value));
    return behaviour;
  };
  switch (type) {
    case 'Sequence':
      return new Sequence(fields.objects('pretokenizers').map(preTokenizer));
    case 'Split':
      return new Split(splitPattern(fields), behaviour('Isolated'), fields.boolean('invert', false));
    case 'Punctuation':
      return new Split(PUNCTUATION, behaviour('Isolated'));
    case 'Digits':
      return new Split(DIGIT, fields.boolean('individual_digits', false) ? 'Isolated' : 'Contiguous');
    case 'Whitespace':
      return new Split(WORD, 'Removed', true);
    case 'WhitespaceSplit':
      return new Split(WHITE_SPACE, 'Removed');
    case 'BertPreTokenizer':
      return new Sequence([new Split(WHITE_SPACE, 'Removed'), new Split(PUNCTUATION, 'Isolated')]);
    case 'ByteLevel':
      return new ByteLevel(fields.boolean('add_prefix_space', false), fields.boolean('use_regex', true));
    case 'Metaspace':
      return new Metaspace(fields);
    default:
      throw fields.refusal('a pre-tokenizer that is supported', type, 'use another model');
  }
}
