// The brackets in a piece of source text, without those in strings and comments. Uses patterns, not a parser: exact for
// whole lines of common languages and harmless for the rest.
import { comments } from './language';

export interface Bracket {
  readonly at: number;
  readonly character: string;
}

export interface Brackets {
  /** Openers without their closer, outermost first. */
  readonly open: readonly Bracket[];
  /** Closers without their opener, in order. */
  readonly closing: readonly Bracket[];
}

const BRACKET = String.raw`[()[\]{}]`;
const STRING = String.raw`"(?:\\.|[^"\\\n])*"`;
const QUOTED = String.raw`'(?:\\.|[^'\\\n])*'`;
const TEMPLATE = '`(?:\\\\[^]|[^`\\\\])*(?:`|$)';
const SLASH_COMMENT = String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)`;
// A slash begins a regular expression where no value can stand before it.
const REGEX = String.raw`\/(?<=(?:^|[(,=:[!&|?{};]|\breturn)\s*\/)(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/`;
const TRIPLE = String.raw`"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)`;
const HASH_COMMENT = String.raw`#[^\n]*`;
/** A character of Rust, where a quote also begins a lifetime. */
const CHARACTER = String.raw`'(?:\\[^'\n]+|[^'\\\n])'`;

const pattern = (...skipped: readonly string[]): RegExp => new RegExp([...skipped, BRACKET].join('|'), 'g');
const SCRIPT = pattern(SLASH_COMMENT, STRING, QUOTED, TEMPLATE, REGEX);
/** By the start of a line comment. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  '#': pattern(TRIPLE, HASH_COMMENT, STRING, QUOTED),
  '--': pattern('--[^\\n]*', STRING, QUOTED),
};
/** Languages that differ from others with the same comments. */
const OWN_PATTERNS: Readonly<Record<string, RegExp>> = {
  __proto__: null as never,
  rust: pattern(SLASH_COMMENT, STRING, CHARACTER),
  sql: pattern('--[^\\n]*', QUOTED),
  html: pattern('<!--[^]*?(?:-->|$)', STRING),
  markdown: pattern(),
  plaintext: pattern(),
};

/** The opener of each closer. */
const OPENER: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** All brackets that are code, in order. */
export function bracketsIn(text: string, languageId: string): Bracket[] {
  const own = OWN_PATTERNS[languageId] ?? PATTERNS[comments(languageId).line ?? ''] ?? SCRIPT;
  return [...text.matchAll(own)]
    .map(({ 0: character, index: at }) => ({ at, character }))
    .filter(({ character }) => '()[]{}'.includes(character));
}

/** The brackets without a partner. */
export function unmatched(all: readonly Bracket[]): Brackets {
  const open: Bracket[] = [];
  const closing: Bracket[] = [];
  for (const bracket of all) {
    const opener = OPENER[bracket.character];
    // Whatever is still open inside the nearest opener of the same kind was never closed.
    const match = open.findLastIndex(({ character }) => character === opener);
    if (opener === undefined) open.push(bracket);
    else if (match < 0) closing.push(bracket);
    else open.length = match;
  }
  return { open, closing };
}

export function brackets(text: string, languageId: string): Brackets {
  return unmatched(bracketsIn(text, languageId));
}

/** Whether what follows a text is code, and not the inside of a comment, a template or a string of several lines. */
export function endsInCode(text: string, languageId: string): boolean {
  return bracketsIn(`${text}(`, languageId).at(-1)?.at === text.length;
}
