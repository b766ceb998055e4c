// Brackets of a piece of source text, without those in strings and comments. A scan by patterns, not a parser:
// it is exact for whole lines of common languages and harmless for the rest.

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
/** Rust's quote also begins a lifetime. */
const CHARACTER = String.raw`'(?:\\[^'\n]+|[^'\\\n])'`;

const pattern = (...skipped: readonly string[]): RegExp => new RegExp([...skipped, BRACKET].join('|'), 'g');
const SCRIPT = pattern(SLASH_COMMENT, STRING, QUOTED, TEMPLATE, REGEX);
const HASH = pattern(TRIPLE, HASH_COMMENT, STRING, QUOTED);
const PATTERNS: Readonly<Record<string, RegExp>> = {
  python: HASH,
  ruby: HASH,
  shellscript: HASH,
  yaml: HASH,
  toml: HASH,
  makefile: HASH,
  dockerfile: HASH,
  r: HASH,
  perl: HASH,
  elixir: HASH,
  rust: pattern(SLASH_COMMENT, STRING, CHARACTER),
  sql: pattern('--[^\\n]*', QUOTED),
  lua: pattern('--[^\\n]*', STRING, QUOTED),
  html: pattern('<!--[^]*?(?:-->|$)', STRING),
  markdown: pattern(),
  plaintext: pattern(),
};

/** The opener of each closer. */
export const OPENER: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** All brackets that are code, in order. */
export function bracketsIn(text: string, languageId: string): Bracket[] {
  const found = [...text.matchAll(PATTERNS[languageId] ?? SCRIPT)];
  return found
    .map(({ 0: character, index: at }) => ({ at, character }))
    .filter(({ character }) => '()[]{}'.includes(character));
}

/** Those that have no partner. */
export function unmatched(all: readonly Bracket[]): Brackets {
  const open: Bracket[] = [];
  const closing: Bracket[] = [];
  for (const bracket of all) {
    const opener = OPENER[bracket.character];
    // What stands open inside the nearest opener of the same kind was never closed.
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
