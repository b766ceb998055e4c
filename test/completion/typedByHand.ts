// Simulates typing in VS Code: inserts closers after the cursor by the configurations of the built-in languages, and
// types over them when the user closes them too.

interface Pair {
  readonly open: string;
  readonly close: string;
  /** Kinds of tokens in which the pair is not closed. */
  readonly notIn: readonly TokenKind[];
}

export type TokenKind = 'string' | 'comment' | 'other';

const pair = (open: string, close: string, ...notIn: readonly TokenKind[]): Pair => ({ open, close, notIn });
const brackets = (...notIn: readonly TokenKind[]): readonly Pair[] =>
  ['{}', '[]', '()'].map(([open = '', close = '']) => pair(open, close, ...notIn));
const BRACKETS = brackets();
const DOUBLE = pair('"', '"', 'string');
const SINGLE = pair("'", "'", 'string', 'comment');
/** Elements without an end tag. */
export const VOID_ELEMENTS = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
);
/** Strings of Python with a prefix, such as f"...". */
const PREFIXED = [...'rRuUfFbB'].flatMap((prefix) =>
  ['"', "'"].map((quote) => pair(prefix + quote, quote, 'string', 'comment')),
);

/** The pairs of the languages, from VS Code's own extensions. */
const PAIRS = {
  typescript: [
    ...BRACKETS,
    SINGLE,
    DOUBLE,
    pair('`', '`', 'string', 'comment'),
    pair('/**', ' */', 'string'),
  ],
  python: [...BRACKETS, DOUBLE, SINGLE, ...PREFIXED],
  json: [...brackets('string'), DOUBLE],
  html: [...BRACKETS, pair("'", "'"), pair('"', '"'), pair('<!--', '-->')],
} as const;
export type TypedLanguage = keyof typeof PAIRS;
/** Characters before which VS Code closes pairs in all languages. */
const CLOSED_BEFORE = ';:.,=}])> \n\t';
/** Additional characters by language, before which VS Code closes pairs. */
const ALSO_BEFORE: Partial<Record<TypedLanguage, string>> = { typescript: '`', html: '<' };

/**
 * Returns the text between the cursor and `after` once `text` is typed before `after`; `kindAt` returns the kind of
 * token at a character of `text`.
 */
export function closedByEditor(
  before: string,
  text: string,
  after: string,
  language: TypedLanguage,
  kindAt: (index: number) => TokenKind,
): string {
  const closedBefore = CLOSED_BEFORE + (ALSO_BEFORE[language] ?? '');
  let closers: readonly string[] = [];
  /** Index after an end tag that was typed over. */
  let resumeAt = 0;
  for (const [i, character] of text.split('').entries()) {
    if (i < resumeAt) continue;
    const typed = before + text.slice(0, i);
    const rest = closers.join('') + after;
    const [closer = ''] = closers;
    const element = language === 'html' && character === '>' ? openedElement(`${typed}>`) : undefined;
    if (closer.trim().startsWith('<') && text.startsWith(closer, i)) {
      // The user moves the cursor past the end tag.
      resumeAt = i + closer.length;
      closers = closers.slice(1);
    } else if (character === '\n') closers = onOwnLine(typed, closers);
    else if (closer === character) closers = closers.slice(1);
    else if (element !== undefined) closers = [`</${element}>`, ...closers];
    else {
      const next = rest[0] ?? '\n';
      const opened = longestOpened(PAIRS[language], typed + character);
      if (opened && closedBefore.includes(next) && isClosedAfter(opened, typed, kindAt(i)))
        closers = [opened.close, ...closers];
    }
  }
  return closers.join('');
}

/** Returns the pair whose opener ends the typed text, the longest one if several do. */
function longestOpened(pairs: readonly Pair[], typed: string): Pair | undefined {
  const ends = pairs.filter(({ open }) => typed.endsWith(open));
  return ends.toSorted((a, b) => a.open.length - b.open.length).at(-1);
}

/** Returns whether VS Code closes a pair here; it never closes a quote after a word, as in "don't". */
function isClosedAfter({ open, notIn }: Pair, typed: string, kind: TokenKind): boolean {
  if (notIn.includes(kind)) return false;
  const isQuote = open === '"' || open === "'";
  return !isQuote || !/[\p{L}\p{N}_]$/u.test(typed);
}

/** Puts the closing bracket on a line of its own, as Enter between brackets does. */
function onOwnLine(typed: string, closers: readonly string[]): readonly string[] {
  const [closer, ...rest] = closers;
  const opener = typed.at(-1) ?? '';
  const isTag = opener === '>' && closer?.startsWith('</');
  const isBracket = BRACKETS.some(({ open, close }) => open === opener && close === closer);
  if (closer === undefined || !(isTag || isBracket)) return closers;
  const indentation = /^[ \t]*/.exec(typed.slice(typed.lastIndexOf('\n') + 1))?.[0] ?? '';
  return [`\n${indentation}${closer}`, ...rest];
}

/** Returns the name of the element that the tag at the end opens; undefined if it needs no end tag. */
function openedElement(typed: string): string | undefined {
  const [, name = ''] = /<([a-z][\w-]*)(?:\s(?:[^<>"']|"[^"]*"|'[^']*')*)?(?<!\/)>$/i.exec(typed) ?? [];
  return name === '' || VOID_ELEMENTS.has(name) ? undefined : name;
}
