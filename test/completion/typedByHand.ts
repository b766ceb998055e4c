// What VS Code has put behind the cursor when a person types: pairs that it closes by itself, as the configurations of
// its built-in languages say, and types over when the person closes them too.

interface Pair {
  readonly open: string;
  readonly close: string;
  /** Not closed where such a token is. */
  readonly notIn: readonly TokenKind[];
}

export type TokenKind = 'string' | 'comment' | 'other';

const pair = (open: string, close: string, ...notIn: readonly TokenKind[]): Pair => ({ open, close, notIn });
const brackets = (...notIn: readonly TokenKind[]): readonly Pair[] =>
  ['{}', '[]', '()'].map(([open = '', close = '']) => pair(open, close, ...notIn));
const BRACKETS = brackets();
const DOUBLE = pair('"', '"', 'string');
const SINGLE = pair("'", "'", 'string', 'comment');
/** Elements that have no end. */
export const VOID_ELEMENTS = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
);
const PREFIXED = [...'rRuUfFbB'].flatMap((prefix) =>
  ['"', "'"].map((quote) => pair(prefix + quote, quote, 'string', 'comment')),
);

/** The pairs of the languages, from VS Code's own extensions. */
const PAIRS = {
  typescript: [
    ...[...BRACKETS, SINGLE, DOUBLE],
    ...[pair('`', '`', 'string', 'comment'), pair('/**', ' */', 'string')],
  ],
  python: [...BRACKETS, DOUBLE, SINGLE, ...PREFIXED],
  json: [...brackets('string'), DOUBLE],
  html: [...BRACKETS, pair("'", "'"), pair('"', '"'), pair('<!--', '-->')],
} as const;
export type TypedLanguage = keyof typeof PAIRS;
/** What is closed only before these, and others of its own in each language. */
const CLOSED_BEFORE = ';:.,=}])> \n\t';
const ALSO_BEFORE: Partial<Record<TypedLanguage, string>> = { typescript: '`', html: '<' };

/**
 * What stands behind the cursor, up to `after`, once `text` is typed in front of `after`; `kindAt` tells what a
 * character of `text` belongs to.
 */
export function closedByEditor(
  before: string,
  text: string,
  after: string,
  language: TypedLanguage,
  kindAt: (index: number) => TokenKind,
): string {
  const closedBefore = CLOSED_BEFORE + (ALSO_BEFORE[language] ?? '');
  let behind: readonly string[] = [];
  let past = 0;
  for (const [i, character] of [...text].entries()) {
    if (i < past) continue;
    const typed = before + text.slice(0, i);
    const rest = behind.join('') + after;
    const [closer = ''] = behind;
    const element = language === 'html' && character === '>' ? openedElement(`${typed}>`) : undefined;
    if (closer.trim().startsWith('<') && text.startsWith(closer, i)) {
      // The person goes behind it.
      past = i + closer.length;
      behind = behind.slice(1);
    } else if (character === '\n') behind = onOwnLine(typed, behind);
    else if (closer === character) behind = behind.slice(1);
    else if (element !== undefined) behind = [`</${element}>`, ...behind];
    else {
      const next = rest[0] ?? '\n';
      const opened = longest(PAIRS[language], typed + character);
      if (opened && closedBefore.includes(next) && mayClose(opened, typed, kindAt(i)))
        behind = [opened.close, ...behind];
    }
  }
  return behind.join('');
}

function longest(pairs: readonly Pair[], typed: string): Pair | undefined {
  const ends = pairs.filter(({ open }) => typed.endsWith(open));
  return ends.toSorted((a, b) => a.open.length - b.open.length).at(-1);
}

function mayClose({ open, notIn }: Pair, typed: string, kind: TokenKind): boolean {
  if (notIn.includes(kind)) return false;
  const isQuote = open === '"' || open === "'";
  return !isQuote || !/[\p{L}\p{N}_]$/u.test(typed);
}

/** Enter between brackets puts the closing one on a line of its own. */
function onOwnLine(typed: string, behind: readonly string[]): readonly string[] {
  const [closer, ...rest] = behind;
  const opener = typed.at(-1) ?? '';
  const isTag = opener === '>' && closer?.startsWith('</');
  const isBracket = BRACKETS.some(({ open, close }) => open === opener && close === closer);
  if (closer === undefined || !(isTag || isBracket)) return behind;
  const indentation = /^[ \t]*/.exec(typed.slice(typed.lastIndexOf('\n') + 1))?.[0] ?? '';
  return [`\n${indentation}${closer}`, ...rest];
}

/** The element that the tag at the end opens, if it has an end. */
function openedElement(typed: string): string | undefined {
  const [, name = ''] = /<([a-z][\w-]*)(?:\s(?:[^<>"']|"[^"]*"|'[^']*')*)?(?<!\/)>$/i.exec(typed) ?? [];
  return name === '' || VOID_ELEMENTS.has(name) ? undefined : name;
}
