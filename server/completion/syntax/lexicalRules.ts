// The strings and comments of each language, for the scanner. Patterns have no capturing groups.
import { comments } from './language';

/** A stretch of text that is not code, or is code of another language. */
export interface Region {
  readonly kind: 'string' | 'comment' | 'lineComment' | 'embedded';
  /** Pattern of the opener. */
  readonly opens: string;
  /** Returns the closer for an opener. */
  readonly closer: (opened: string) => string;
  /** Whether it ends with its line. */
  readonly oneLine: boolean;
  /** Whether the closer must be on a line of its own if the content begins on a new line. */
  readonly endsOnOwnLine?: boolean;
  /** Pattern of text within it that has no meaning, such as an escaped quote. */
  readonly skipped?: string;
  /** Pattern of the opener of code within it, such as `${`. The last character of the opener is a bracket. */
  readonly field?: string;
  /** Language of embedded code. */
  readonly languageId?: string;
}

export interface LexicalRules {
  readonly regions: readonly Region[];
  /** Patterns of code in which quotes and brackets have no meaning, such as regular expressions. */
  readonly atoms?: readonly string[];
  /** Whether the text is prose, in which brackets have no meaning. */
  readonly isProse?: boolean;
  /** Matches a text that ends with a value, which no string can follow directly. */
  readonly values?: RegExp;
  /** Whether closers without openers occur, as in `case a) ;;`. */
  readonly hasLooseClosers?: boolean;
}

/** Pattern that matches nothing. The usual one, (?!), would make scanning four times as slow. */
export const NEVER = String.raw`\uFFFF\uFFFF`;

/** The properties in which a string differs from `string()` without forms. */
type StringForm = Partial<Omit<Region, 'kind' | 'opens'>>;

/** Form of a string that can span several lines. */
const LONG: StringForm = { oneLine: false };
/** Form of a string that can span several lines, whose closer then is on a line of its own. */
const BLOCK: StringForm = { oneLine: false, endsOnOwnLine: true };
/** Form of a string without escapes. */
const RAW: StringForm = { skipped: NEVER };
/** Forms of strings with code in ${}, #{}, $() and {}. */
const DOLLAR: StringForm = { field: String.raw`\$\{` };
const HASHED: StringForm = { field: String.raw`#\{` };
const PARENTHESIZED: StringForm = { field: String.raw`\$\(` };
const BRACED: StringForm = { skipped: String.raw`\\[^{}]|\{\{|\}\}`, field: String.raw`\{` };
/** Form of a string with code in \(). */
const SWIFT: StringForm = { skipped: String.raw`\\[^(]`, field: String.raw`\\\(` };

/** Describes a string: of one line, with backslashes as escapes, unless one of the forms says otherwise. */
function string(opens: string, ...forms: readonly StringForm[]): Region {
  const closer = (opened: string): string => opened.replace(/^[\w$@]+/, '');
  const usual: Region = { kind: 'string', opens, closer, oneLine: true, skipped: String.raw`\\[^]` };
  return forms.reduce<Region>((region, form) => ({ ...region, ...form }), usual);
}

/** Describes a comment. Without a closer, it ends with its line. */
function comment(opens: string, closer = ''): Region {
  const oneLine = closer === '';
  return { kind: oneLine ? 'lineComment' : 'comment', opens, closer: () => closer, oneLine };
}

const DOUBLE = string('"');
/** Does not match directly after a word, where an apostrophe belongs to the word. */
const SINGLE = string(String.raw`'(?<![\p{L}\p{N}_$]')`);
const TRIPLE = [string('"""', LONG), string("'''", LONG)];
const STAR_COMMENT = comment(String.raw`/\*`, '*/');
const C = [comment('//'), STAR_COMMENT];
/** Comment from a # that begins a word. */
const HASH = comment(String.raw`(?<![^\s;(&|])#`);
/** PHP's #[ begins an attribute. */
const PHP_HASH = comment(String.raw`${HASH.opens}(?!\[)`);

/** A slash where no value can precede it, so that it begins a regular expression. */
const REGEX_START = String.raw`/(?<=(?:^|=>|[(,=:[!&|?{};]|\breturn)\s*/)(?![/*])`;
const REGEX_PART = String.raw`(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])`;
const REGEX = `${REGEX_START}${REGEX_PART}+/`;
const OPEN_REGEX = new RegExp(`${REGEX_START}${REGEX_PART}*$`, 'u');
/** Matches the rest of a regular expression if the text after it can follow one. */
const REST_OF_REGEX = new RegExp(String.raw`^${REGEX_PART}*/[a-z]*(?:[)\]},;.]|\s*$)`, 'u');
const PARTS_OF_REGEX = new RegExp(`^${REGEX_PART}*`, 'u');
/** Text between the tag of an element and its end tag in the same line. */
const ELEMENT_TEXT = String.raw`>(?<=[\w"'})\]/-]>)[^<>{}\n]*(?=</)`;
/** A character literal, for languages in which a quote also begins a lifetime or a type variable, or ends a name. */
const CHARACTER = String.raw`'(?:\\[^'\n]+|[^'\\\n])'`;

const python = (prefix: string, quotes: string, ...forms: readonly StringForm[]): Region =>
  string(`${prefix}(?:${quotes})`, ...forms);
const FORMATTED = String.raw`(?<![\p{L}\p{N}_])(?:[fFtT][rR]?|[rR][fFtT])`;
const UNFORMATTED = String.raw`(?:(?<![\p{L}\p{N}_])(?:[uUbB]?[rR]|[uUbB]|[rR][bB]))?`;
const PYTHON = [
  comment('#'),
  python(FORMATTED, `"""|'''`, LONG, BRACED),
  python(UNFORMATTED, `"""|'''`, LONG),
  python(FORMATTED, `"|'`, BRACED),
  python(UNFORMATTED, `"|'`),
];

/** Describes code of another language. */
function embedded(opens: string, languageId: string, closer: Region['closer']): Region {
  return { kind: 'embedded', opens, closer, oneLine: false, languageId };
}

const element = (name: string, languageId: string): Region =>
  embedded(String.raw`<${name}\b[^<>]*>`, languageId, () => `</${name}`);
/** Blocks of code in Markdown, by the first word after the fence. */
const FENCED = [
  'typescript ts tsx javascript js jsx mjs',
  'python py',
  'shellscript sh bash zsh shell',
  'csharp cs',
  'cpp c++ cc',
  'ruby rb',
  'rust rs',
  'kotlin kt',
  'json jsonc json5',
  'yaml yml',
  ...'c css go html java php scss sql swift toml vue xml'.split(' '),
].map((names) => {
  const [languageId = ''] = names.split(' ');
  const words = names.replaceAll('+', '\\+').replaceAll(' ', '|');
  const opens = String.raw`^[ \t]*(?:\x60{3,}|~{3,})(?:${words})(?![\w+-])[^\n\x60]*`;
  return embedded(opens, languageId, (opened) => `\n${/[`~]+/.exec(opened)?.[0] ?? ''}`);
});
/**
 * The value of an attribute: after `name=`, but not after `==`. The lookbehind comes after the quote: before the quote,
 * it would be tried at each character, and read a run of spaces again at each of them.
 */
const ATTRIBUTE = string(String.raw`["'](?<=[\w\])-][ \t]*=[ \t]*["'])`, LONG, RAW);
/** A stray quote directly after the value of an attribute. The string that it begins ends with its line. */
const AFTER_ATTRIBUTE = string(String.raw`(?<==[ \t]*(?:"[^"<>\n]*"|'[^'<>\n]*'))["']`, RAW);
const ELEMENTS = [element('script', 'javascript'), element('style', 'css')];
const MARKUP = [comment('<!--', '-->'), ...ELEMENTS, ATTRIBUTE, AFTER_ATTRIBUTE];
const MARKUP_EXTRAS = { isProse: true, values: /["']$/ };

/** A heredoc. Does not match if a closer follows in its line: the heredoc would swallow the closer. */
const hereDocument = (mark: string): Region =>
  string(String.raw`${mark}['"]?[A-Za-z_]\w*['"]?[^\n)\]}]*(?=\n)`, LONG, RAW, {
    closer: (opened) => `\n${/[A-Za-z_]\w*/.exec(opened)?.[0] ?? ''}`,
  });
const SHELL_QUOTES = [
  string(String.raw`\$'`, LONG),
  string('"', LONG, { field: String.raw`\$[{(]` }),
  string("'", LONG, RAW),
];

const RUST_RAW = string('r#*"', LONG, RAW, { closer: (opened) => `"${opened.slice(1, -1)}` });
const CPP_RAW = string(String.raw`R"\w*\(`, LONG, RAW, { closer: (opened) => `)${opened.slice(2, -1)}"` });
const SWIFT_RAW = string('#+"(?:"")?', BLOCK, RAW, { closer: (opened) => [...opened].reverse().join('') });
const CSHARP = [
  string(String.raw`\$*"{3,}`, BLOCK, RAW),
  string(String.raw`(?:\$@|@\$)"`, LONG, BRACED, { skipped: String.raw`""|\{\{|\}\}` }),
  string('@"', LONG, { skipped: '""' }),
  string(String.raw`\$"`, BRACED),
];
/** Ruby's %w[a b], which does not directly follow a value, as the operator % does. */
const PERCENT = string(String.raw`(?<=^|[\s(,=[{])%[qQwWiIrsx]?[([{]`, LONG, HASHED, {
  skipped: String.raw`\\[^]|\{[^{}]*\}|\([^()]*\)|\[[^[\]]*\]`,
  closer: (opened) => ({ '(': ')', '[': ']', '{': '}' })[opened.at(-1) ?? ''] ?? '',
});
/** A string that begins a value of YAML, also after a tag or an anchor. It can have several lines. */
const YAML_VALUE = string(String.raw`["'](?<=[\[{,:-]\s*(?:[!&]\S*\s+)*["'])`, LONG);
/**
 * Any other string of YAML, such as one in a command of a block scalar. It ends with its line: without a rule for block
 * scalars, a lone quote of their text would otherwise make a string of the rest of the file.
 */
const YAML_WORD = string(String.raw`(?<=(?:^|\s))["']`);
const LUA_BRACKET = string(String.raw`\[=*\[`, LONG, RAW, {
  closer: (opened) => opened.replaceAll('[', ']'),
});

/**
 * A string of SQL. A quote between a word and a letter or space begins none: it is an apostrophe in a comment that has
 * no rule here, such as one of a template or one that begins with #. A backslash escapes a quote only in some dialects,
 * so the quote closes the string if the backslash is the only character of the string, or if the text after the quote
 * can follow a string.
 */
const SQL_SINGLE = string(String.raw`'(?!(?<=(?<![\p{L}\p{N}_])\p{L}{2,}')[\p{L}\s])`, LONG, {
  skipped: String.raw`''|\\\\|(?<!')\\'(?![ \t]*(?:[,;)|]|$))`,
});

/** Matches a text that ends with a value: with a bracket, a quote, a number, or a name that is not a keyword. */
const VALUES =
  /[)\]"'\d]$|(?<![\p{L}\p{N}_$])(?!(?:and|as|assert|await|case|default|else|export|from|if|import|in|is|not|of|or|return|throw|typeof|yield)$)[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** Rules of JavaScript, also for languages without their own. */
const SCRIPT: LexicalRules = {
  regions: [...C, DOUBLE, SINGLE, string('`', LONG, DOLLAR)],
  atoms: [ELEMENT_TEXT, REGEX],
};
/** Languages with rules of their own. All others have SCRIPT or, if their comments begin with #, HASHES. */
const LANGUAGES: readonly (readonly [
  languageIds: string,
  regions: readonly Region[],
  extras?: Omit<LexicalRules, 'regions'>,
])[] = [
  ['markdown', [...FENCED, string('(?<!`)`(?!`)', RAW)], { isProse: true }],
  ['plaintext latex tex restructuredtext git-commit', [], { isProse: true }],
  ['html xml', MARKUP, MARKUP_EXTRAS],
  ['vue', [...MARKUP, embedded(String.raw`\{\{`, 'typescript', () => '}}')], MARKUP_EXTRAS],
  ['svelte', [...MARKUP, embedded(String.raw`(?<=[\w-]=)\{`, 'typescript', () => '}')], MARKUP_EXTRAS],
  ['typescript typescriptreact javascript javascriptreact', SCRIPT.regions, { ...SCRIPT, values: VALUES }],
  ['python', PYTHON, { values: VALUES }],
  [
    'shellscript',
    // The operator `<<<` begins a string in the same line.
    [HASH, hereDocument('(?<!<)<<-?[ \\t]*'), ...SHELL_QUOTES],
    { atoms: [String.raw`\\[^]`], hasLooseClosers: true },
  ],
  ['json jsonc jsonl', [...C, DOUBLE], { values: VALUES }],
  ['css scss less', [comment('(?<!:)//'), STAR_COMMENT, DOUBLE, SINGLE]],
  ['rust', [...C, RUST_RAW, string('"', LONG)], { atoms: [CHARACTER] }],
  ['go', [...C, DOUBLE, SINGLE, string('`', LONG, RAW)]],
  ['java', [...C, ...TRIPLE, DOUBLE, SINGLE]],
  ['c cpp objective-c objective-cpp', [...C, CPP_RAW, DOUBLE, SINGLE], { atoms: [CHARACTER] }],
  ['csharp', [...C, ...CSHARP, DOUBLE, SINGLE]],
  ['kotlin scala dart', [...C, string('"""', LONG, DOLLAR), string('"', DOLLAR), SINGLE]],
  ['swift', [...C, SWIFT_RAW, string('"""', BLOCK, SWIFT), string('"', SWIFT)]],
  [
    'php',
    [
      ...C,
      PHP_HASH,
      hereDocument('<<<[ \\t]*'),
      string('"', LONG, { field: String.raw`\{(?=\$)` }),
      string("'", LONG),
    ],
  ],
  [
    'ruby',
    [HASH, hereDocument('<<[~-]?(?=[\'"]?[A-Z])'), PERCENT, string('"', HASHED), SINGLE, string('`', HASHED)],
    { atoms: [REGEX, '[$?]["\'`]'] },
  ],
  ['elixir', [HASH, string('"""', BLOCK, HASHED), string('"', HASHED), SINGLE]],
  ['julia', [HASH, string('"""', LONG), string('"', PARENTHESIZED)], { atoms: [CHARACTER] }],
  [
    'powershell',
    [comment('<#', '#>'), HASH, string('"', { skipped: '`[^]' }, PARENTHESIZED), string("'", RAW)],
  ],
  ['sql', [comment('--'), STAR_COMMENT, string('"', RAW), SQL_SINGLE]],
  ['lua', [comment(String.raw`--\[\[`, ']]'), comment('--'), LUA_BRACKET, DOUBLE, SINGLE]],
  ['haskell elm', [comment(String.raw`\{-`, '-}'), comment('--'), DOUBLE], { atoms: [CHARACTER] }],
  ['toml', [HASH, string('"""', LONG), string("'''", LONG, RAW), DOUBLE, { ...SINGLE, ...RAW }]],
  ['yaml', [HASH, YAML_VALUE, YAML_WORD]],
];

/** Rules by language. */
const RULES = new Map(
  LANGUAGES.flatMap(([ids, regions, extras]) =>
    ids.split(' ').map((id) => [id, { regions, ...extras }] as const),
  ),
);
/** Rules of other languages whose comments begin with #. */
const HASHES: LexicalRules = { regions: [HASH, ...TRIPLE, DOUBLE, SINGLE] };

/**
 * Returns the length of the part of `text` that stays within the regular expression around the cursor; undefined if the
 * cursor is in none. `before` and `after` are the parts of the cursor's line.
 */
export function regexLength(
  text: string,
  before: string,
  after: string,
  languageId: string,
): number | undefined {
  const isInRegex =
    lexicalRules(languageId).atoms?.includes(REGEX) && OPEN_REGEX.test(before) && REST_OF_REGEX.test(after);
  return isInRegex ? PARTS_OF_REGEX.exec(text)?.[0].length : undefined;
}

/** Returns the rules of a language; those of JavaScript for an unknown one. */
export function lexicalRules(languageId: string): LexicalRules {
  return RULES.get(languageId) ?? (comments(languageId).line === '#' ? HASHES : SCRIPT);
}
