// What VS Code has put behind the cursor when a person types: pairs that it closes by itself, as the configurations of
// its built-in languages say, and types over when the person closes them too.

export interface Pair {
  readonly open: string;
  readonly close: string;
  /** Not closed where such a token is. */
  readonly notIn?: readonly TokenKind[];
}

export type TokenKind = 'string' | 'comment' | 'other';

const BRACKETS: readonly Pair[] = [
  { open: '{', close: '}' },
  { open: '[', close: ']' },
  { open: '(', close: ')' },
];
const DOUBLE: Pair = { open: '"', close: '"', notIn: ['string'] };
const SINGLE: Pair = { open: "'", close: "'", notIn: ['string', 'comment'] };
/** Elements that have no end. */
export const VOID_ELEMENTS = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
);
const PREFIXED = [...'rRuUfFbB'].flatMap((prefix) =>
  [DOUBLE, SINGLE].map(({ open, close }): Pair => ({
    open: prefix + open,
    close,
    notIn: ['string', 'comment'],
  })),
);

/** The pairs of the languages, from VS Code's own extensions, and the characters before which they are closed. */
export type TypedLanguage = 'typescript' | 'python' | 'json' | 'html' | 'css';

const CONFIGURATIONS: Readonly<
  Record<TypedLanguage, { readonly pairs: readonly Pair[]; readonly before: string }>
> = {
  typescript: {
    pairs: [
      ...BRACKETS,
      SINGLE,
      DOUBLE,
      { open: '`', close: '`', notIn: ['string', 'comment'] },
      { open: '/**', close: ' */', notIn: ['string'] },
    ],
    before: ';:.,=}])>` \n\t',
  },
  python: { pairs: [...BRACKETS, DOUBLE, SINGLE, ...PREFIXED], before: ';:.,=}])> \n\t' },
  json: {
    pairs: [...BRACKETS.map((each): Pair => ({ ...each, notIn: ['string'] })), DOUBLE],
    before: ';:.,=}])> \n\t',
  },
  html: {
    pairs: [
      ...BRACKETS,
      { open: "'", close: "'" },
      { open: '"', close: '"' },
      { open: '<!--', close: '-->' },
    ],
    before: ';:.,=}])>< \n\t',
  },
  css: { pairs: [...BRACKETS, DOUBLE, { ...SINGLE, notIn: ['string'] }], before: ';:.,=}])> \n\t' },
};

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
  const { pairs, before: closedBefore } = CONFIGURATIONS[language];
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
      const pair = longest(pairs, typed + character);
      if (pair && closedBefore.includes(next) && mayClose(pair, typed, kindAt(i)))
        behind = [pair.close, ...behind];
    }
  }
  return behind.join('');
}

function longest(pairs: readonly Pair[], typed: string): Pair | undefined {
  return pairs
    .filter(({ open }) => typed.endsWith(open))
    .reduce<Pair | undefined>(
      (best, pair) => (best && best.open.length > pair.open.length ? best : pair),
      undefined,
    );
}

function mayClose({ open, notIn = [] }: Pair, typed: string, kind: TokenKind): boolean {
  if (notIn.includes(kind)) return false;
  const isQuote = open === '"' || open === "'";
  return !isQuote || !/[\p{L}\p{N}_]$/u.test(typed);
}

/** Enter between brackets puts the closing one on a line of its own. */
function onOwnLine(typed: string, behind: readonly string[]): readonly string[] {
  const [closer, ...rest] = behind;
  const opener = typed.at(-1) ?? '';
  const isTag = opener === '>' && closer?.startsWith('</');
  if (
    closer === undefined ||
    !(isTag || BRACKETS.some(({ open, close }) => open === opener && close === closer))
  )
    return behind;
  const indentation = /^[ \t]*/.exec(typed.slice(typed.lastIndexOf('\n') + 1))?.[0] ?? '';
  return [`\n${indentation}${closer}`, ...rest];
}

/** The element that the tag at the end opens, if it has an end. */
function openedElement(typed: string): string | undefined {
  const [, name = ''] = /<([a-z][\w-]*)(?:\s(?:[^<>"']|"[^"]*"|'[^']*')*)?(?<!\/)>$/i.exec(typed) ?? [];
  return name === '' || VOID_ELEMENTS.has(name) ? undefined : name;
}
