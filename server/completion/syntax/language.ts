// The facts about languages that prompts, filters and the end of ghost text need: comments, lines that open and close
// blocks, annotations, tags, names, character literals, and the usual indentation. Strings are in lexicalRules.ts.

interface Comments {
  /** Mark that begins a comment up to the end of the line. */
  readonly line: string | undefined;
  /** Marks around a comment that can have several lines. */
  readonly block: readonly [open: string, close: string] | undefined;
}

const SLASHES: Comments = { line: '//', block: ['/*', '*/'] };
const HASH: Comments = { line: '#', block: undefined };
const DASHES: Comments = { line: '--', block: undefined };
const MARKUP: Comments = { line: undefined, block: ['<!--', '-->'] };
const STARS: Comments = { line: undefined, block: ['/*', '*/'] };

/** Comments of languages that do not use slashes, with the ids of these languages and the names of their files. */
const OTHER_COMMENTS: readonly (readonly [comments: Comments, languageIds: string, fileNames: RegExp])[] = [
  [
    HASH,
    'python ruby shellscript yaml toml makefile dockerfile r perl elixir julia coffeescript powershell nim gdscript',
    /\.(pyi?|rb|(ba|z)?sh|ya?ml|toml|mk|r|p[lm]|exs?|jl|coffee|psm?1|nim|gd)$|(^|\/)(Makefile|Dockerfile)$/i,
  ],
  [DASHES, 'sql lua haskell elm', /\.(sql|lua|hs|elm)$/i],
  [MARKUP, 'html xml markdown vue svelte', /\.(html?|xml|md|vue|svelte)$/i],
  [STARS, 'css', /\.css$/i],
];

/** Matches a line that opens a block in any language. */
const OPENS = /(?:[{([]|=>)$/;
const COLON_OPENS = new Set(['python', 'yaml', 'coffeescript', 'nim', 'gdscript']);

/** Patterns of lines that open and close blocks without brackets. */
interface BlockWords {
  /** A line that opens a block. */
  readonly opens: RegExp;
  /** A line that closes a block and opens the next one of the same statement, such as `else`. */
  readonly continues?: RegExp;
  /** A line that closes the last block of a statement. */
  readonly ends: RegExp;
}

/** Elements without an end tag, as alternatives of a pattern. */
export const VOID_ELEMENTS = 'area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr';
const TAGS: BlockWords = {
  opens: new RegExp(
    String.raw`(?<![\w)])<(?!(?:${VOID_ELEMENTS})\b)[A-Za-z][\w.:-]*(?:\s[^<>]*)?(?<![/=])>$`,
  ),
  ends: /^<\//,
};

/** Languages whose blocks end with words or tags. Without a prototype, so that "constructor" is not found in it. */
const BLOCK_WORDS: Readonly<Record<string, BlockWords>> = {
  __proto__: null as never,
  ruby: {
    opens:
      /^(?:def|class|module|if|elsif|else|unless|while|until|for|case|when|begin|rescue|ensure)\b(?!.*\bend$)|\b(?:do|then|else|begin)(?:\s*\|[^|]*\|)?$/,
    continues: /^(?:elsif|else|when|rescue|ensure)\b/,
    ends: /^end\b/,
  },
  lua: {
    opens: /\b(?:do|then|else|repeat)$|\bfunction\b[^()]*\([^()]*\)$/,
    continues: /^(?:elseif|else)\b/,
    ends: /^(?:end|until)\b/,
  },
  shellscript: {
    opens: /\b(?:do|then|else|in)$/,
    continues: /^(?:elif|else)\b/,
    ends: /^(?:done|fi|esac)\b/,
  },
  elixir: {
    opens: /(?:\b(?:do|else|rescue|after)|->)$/,
    continues: /^(?:else|rescue|catch|after)\b/,
    ends: /^end\b/,
  },
  julia: {
    opens:
      /^(?:function|macro|(?:mutable )?struct|module|if|elseif|else|for|while|let|begin|try|catch|finally)\b(?!.*\bend$)|\b(?:do(?: [\w, ]*)?|begin)$/,
    continues: /^(?:elseif|else|catch|finally)\b/,
    ends: /^end\b/,
  },
  sql: { opens: /\b(?:then|else|begin)$/i, continues: /^(?:else|when)\b/i, ends: /^end\b/i },
  ...Object.fromEntries(
    'html xml vue svelte javascriptreact typescriptreact'.split(' ').map((id) => [id, TAGS]),
  ),
};

const TABS = new Set(['go', 'makefile', 'gdscript']);
const FOUR_SPACES = new Set('python c cpp csharp java kotlin php rust swift perl plaintext'.split(' '));

/** Returns the marks of a language's comments. */
export function comments(languageId: string): Comments {
  return OTHER_COMMENTS.find(([, ids]) => ids.split(' ').includes(languageId))?.[0] ?? SLASHES;
}

/** Returns a language with the comments of a file; '' for comments with slashes. */
export function commentLanguageOf(fileName: string): string {
  return OTHER_COMMENTS.find(([, , fileNames]) => fileNames.test(fileName))?.[1].split(' ')[0] ?? '';
}

/** Returns whether a line begins with a comment, or is a line of a block comment that begins with `*`. */
export function isComment(line: string, languageId: string): boolean {
  const { line: mark, block } = comments(languageId);
  const text = line.trimStart();
  if (mark !== undefined && text.startsWith(mark)) return true;
  if (block === undefined) return false;
  return text.startsWith(block[0]) || (block[0] === '/*' && /^\*(\s|$|\/)/.test(text));
}

/** Converts a text to comment lines. */
export function commentLines(text: string, indentation: string, languageId: string): string {
  const { line, block } = comments(languageId);
  const lines = text.trim().split(/\r?\n/);
  if (line !== undefined) return lines.map((content) => `${indentation}${line} ${content}\n`).join('');
  const [open, close] = block ?? ['/*', '*/'];
  return lines.map((content) => `${indentation}${open} ${content.replaceAll(close, '')} ${close}\n`).join('');
}

/** Returns whether a line opens a block, so that the next line is indented deeper. */
export function opensBlock(line: string, languageId: string): boolean {
  const mark = comments(languageId).line;
  const text = (mark === undefined ? line : line.split(` ${mark}`, 1).join()).trim();
  if (OPENS.test(text)) return true;
  if (COLON_OPENS.has(languageId) && text.endsWith(':')) return true;
  return BLOCK_WORDS[languageId]?.opens.test(text) ?? false;
}

/** Returns whether a line begins with a word or a tag that closes a block. */
export function closesBlock(line: string, languageId: string): boolean {
  const continues = BLOCK_WORDS[languageId]?.continues?.test(line.trimStart()) ?? false;
  return continues || endsBlock(line, languageId);
}

/** Returns whether a line begins with a word or a tag that closes the last block of a statement, not with an `else`. */
export function endsBlock(line: string, languageId: string): boolean {
  return BLOCK_WORDS[languageId]?.ends.test(line.trimStart()) ?? false;
}

/** Returns whether a line begins an `else`, of which a statement has only one, and not an `else if`. */
export function isElse(line: string): boolean {
  return /^\s*else\b(?!\s*if\b)/i.test(line);
}

/** Matches an annotation on a line of its own, or one whose arguments continue on the next line. */
const ANNOTATION = /^\s*@[\w.:]+(?:\(.*\)|\([^)]*)?\s*$/;
/** Matches a rule of CSS that opens a block, such as `@media`. */
const AT_RULE = /^\s*@\w.*\{\s*$/;
/** Languages with annotations. In others, a word after @ can be a variable, a macro or the end of a block. */
const ANNOTATED = new Set(
  'dart groovy java javascript javascriptreact kotlin python scala swift typescript typescriptreact'.split(
    ' ',
  ),
);
const AT_RULE_LANGUAGES = new Set('css less scss'.split(' '));

/** Returns whether a line is only an annotation of the declaration below it or, in CSS, an at-rule that opens a block. */
export function isAnnotation(line: string, languageId: string): boolean {
  if (AT_RULE_LANGUAGES.has(languageId)) return AT_RULE.test(line);
  return ANNOTATED.has(languageId) && ANNOTATION.test(line);
}

/** Matches code in braces as the value of an attribute, which can contain `=>`. */
const ATTRIBUTE_CODE = String.raw`\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}`;
/**
 * Matches a tag of an element that needs an end tag, or of a fragment, which has no name. Groups: the slash of an end
 * tag, the name, and the slash of an empty element.
 */
const TAG = new RegExp(
  String.raw`<(/?)(?:(?!(?:${VOID_ELEMENTS})\b)([A-Za-z][\w.:-]*)(?:[^<>"'{]|"[^"]*"|'[^']*'|${ATTRIBUTE_CODE})*?(/?))?>`,
  'g',
);

/** Returns whether blocks of the language are elements with tags. */
export function hasElements(languageId: string): boolean {
  return BLOCK_WORDS[languageId] === TAGS;
}

/** Languages in which all tags can be read. Elsewhere, attributes contain code with angle brackets. */
const READABLE_TAGS = new Set('html xml vue'.split(' '));

/** Returns whether all tags of the language can be read by patterns, as its attributes contain no code. */
export function hasReadableTags(languageId: string): boolean {
  return READABLE_TAGS.has(languageId);
}

/**
 * Returns the names of elements that a text leaves open, outermost first, and the offsets of its end tags whose
 * elements begin before the text.
 */
export function elementsIn(text: string) {
  const { open, foreignEnds } = tagsIn(text);
  return { open: open.map(({ name }) => name), foreignEnds };
}

/** Returns what `elementsIn` does, with the offsets of the begin tags of the open elements. */
export function tagsIn(text: string) {
  const open: { readonly name: string; readonly at: number; readonly end: number }[] = [];
  const foreignEnds: number[] = [];
  for (const { 0: tag, 1: endSlash, 2: name = '', 3: emptySlash = '', index } of text.matchAll(TAG)) {
    const last = open.findLastIndex((element) => element.name === name);
    if (endSlash !== '' && last < 0) foreignEnds.push(index);
    else if (endSlash !== '') open.splice(last);
    else if (emptySlash === '') open.push({ name, at: index, end: index + tag.length });
  }
  return { open, foreignEnds };
}

/** Matches an end tag that nothing but other end tags and closers follow. Group: its name. */
const LAST_END_TAG = /^<\/([\w.:-]+)>(?:<\/[^>]*>|[\s)\]}'"`;,:])*$/;

/**
 * Returns whether a cursor is directly between the tags of an element in one line. `before` and `after` are the parts
 * of the cursor's line.
 */
export function isBetweenTags(before: string, after: string, languageId: string): boolean {
  if (!hasElements(languageId) || !TAGS.opens.test(before)) return false;
  const [, name] = LAST_END_TAG.exec(after) ?? [];
  return name !== undefined && name === elementsIn(before).open.at(-1);
}

/**
 * Returns whether an incomplete line can still become one that closes a block: its first word is not complete.
 */
export function canCloseBlock(line: string, languageId: string): boolean {
  return BLOCK_WORDS[languageId] !== undefined && /^\s*(?:\w*|<)$/.test(line);
}

/** Returns one level of indentation for a text that shows none: a tab or some spaces. */
export function usualIndentation(languageId: string): string {
  return TABS.has(languageId) ? '\t' : ' '.repeat(FOUR_SPACES.has(languageId) ? 4 : 2);
}

/** Matches a text that ends within a name or directly after one. */
export const ENDS_IN_NAME = /[\p{ID_Continue}$]$/u;

/** Languages in which single quotes enclose one character, never a string. */
const CHARACTER_LITERALS = new Set('c cpp csharp go java julia kotlin rust scala'.split(' '));

/** Returns whether single quotes in the language enclose one character, never a string. */
export function hasCharacterLiterals(languageId: string): boolean {
  return CHARACTER_LITERALS.has(languageId);
}

/** Languages whose names can contain hyphens. */
const HYPHENATED = new Set('css scss sass less stylus html xml vue svelte clojure lisp scheme'.split(' '));

/** Returns whether a text continues a name that ends directly before it. */
export function continuesName(text: string, languageId: string): boolean {
  return (HYPHENATED.has(languageId) ? /^[\p{ID_Continue}$-]/u : /^[\p{ID_Continue}$]/u).test(text);
}
