// What prompts, filters and the end of ghost text need to know about a language: its comments, what opens and closes a
// block, and its usual indentation.

interface Comments {
  /** Begins a comment that ends with the line. */
  readonly line: string | undefined;
  /** Opens and closes one that may have several lines. */
  readonly block: readonly [open: string, close: string] | undefined;
}

const SLASHES: Comments = { line: '//', block: ['/*', '*/'] };
const HASH: Comments = { line: '#', block: undefined };
const DASHES: Comments = { line: '--', block: undefined };
const MARKUP: Comments = { line: undefined, block: ['<!--', '-->'] };
const STARS: Comments = { line: undefined, block: ['/*', '*/'] };

const OTHERS: readonly (readonly [comments: Comments, languageIds: string])[] = [
  [HASH, 'python ruby shellscript yaml toml makefile dockerfile r perl elixir julia coffeescript powershell'],
  [DASHES, 'sql lua haskell elm'],
  [MARKUP, 'html xml markdown vue svelte'],
  [STARS, 'css'],
];

const OPENS = /(?:[{([]|=>)$/;
const COLON_OPENS = new Set(['python', 'yaml', 'coffeescript', 'nim', 'gdscript']);

interface Ends {
  readonly opens: RegExp;
  /** Begins a line that belongs to the block before it, and closes it or opens another one. */
  readonly closes: RegExp;
}

const VOID_ELEMENTS = 'area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr';
const MARKUP_ENDS: Ends = {
  opens: new RegExp(
    String.raw`(?<![\w)])<(?!(?:${VOID_ELEMENTS})\b)[A-Za-z][\w.:-]*(?:\s[^<>]*)?(?<![/=])>$`,
  ),
  closes: /^<\//,
};

/** Where blocks end with words or tags instead of brackets. Without the names of any object, such as "constructor". */
const ENDS: Readonly<Record<string, Ends>> = {
  __proto__: null as never,
  ruby: {
    opens:
      /^(?:def|class|module|if|elsif|else|unless|while|until|for|case|when|begin|rescue|ensure)\b(?!.*\bend$)|\b(?:do|then|else|begin)(?:\s*\|[^|]*\|)?$/,
    closes: /^(?:end|elsif|else|when|rescue|ensure)\b/,
  },
  lua: {
    opens: /\b(?:do|then|else|repeat)$|\bfunction\b[^()]*\([^()]*\)$/,
    closes: /^(?:end|elseif|else|until)\b/,
  },
  shellscript: { opens: /\b(?:do|then|else|in)$/, closes: /^(?:done|fi|esac|elif|else)\b/ },
  elixir: { opens: /(?:\b(?:do|else|rescue|after)|->)$/, closes: /^(?:end|else|rescue|catch|after)\b/ },
  julia: {
    opens:
      /^(?:function|macro|(?:mutable )?struct|module|if|elseif|else|for|while|let|begin|try|catch|finally)\b(?!.*\bend$)|\b(?:do(?: [\w, ]*)?|begin)$/,
    closes: /^(?:end|elseif|else|catch|finally)\b/,
  },
  sql: { opens: /\b(?:then|else|begin)$/i, closes: /^(?:end|else|when)\b/i },
  ...Object.fromEntries(
    'html xml vue svelte javascriptreact typescriptreact'.split(' ').map((id) => [id, MARKUP_ENDS]),
  ),
};

const TABS = new Set(['go', 'makefile', 'gdscript']);
const FOUR_SPACES = new Set('python c cpp csharp java kotlin php rust swift perl plaintext'.split(' '));

export function comments(languageId: string): Comments {
  return OTHERS.find(([, ids]) => ids.split(' ').includes(languageId))?.[0] ?? SLASHES;
}

/** Whether a line is a comment, or inside one. */
export function isComment(line: string, languageId: string): boolean {
  const { line: mark, block } = comments(languageId);
  const text = line.trimStart();
  if (mark !== undefined && text.startsWith(mark)) return true;
  if (block === undefined) return false;
  return text.startsWith(block[0]) || (block[0] === '/*' && /^\*(\s|$|\/)/.test(text));
}

/** `text` as comment lines. */
export function commentLines(text: string, indentation: string, languageId: string): string {
  const { line, block } = comments(languageId);
  const lines = text.trim().split(/\r?\n/);
  if (line !== undefined) return lines.map((each) => `${indentation}${line} ${each}\n`).join('');
  const [open, close] = block ?? ['/*', '*/'];
  return lines.map((each) => `${indentation}${open} ${each.replaceAll(close, '')} ${close}\n`).join('');
}

/** Whether the line after a line is indented deeper. */
export function opensBlock(line: string, languageId: string): boolean {
  const mark = comments(languageId).line;
  const text = (mark === undefined ? line : line.split(` ${mark}`, 1).join()).trim();
  if (OPENS.test(text)) return true;
  if (COLON_OPENS.has(languageId) && text.endsWith(':')) return true;
  return ENDS[languageId]?.opens.test(text) ?? false;
}

/** Whether a line begins with a word or a tag that ends a block. */
export function closesBlock(line: string, languageId: string): boolean {
  return ENDS[languageId]?.closes.test(line.trimStart()) ?? false;
}

/** A tag of an element that has an end: the slash of an end, the name, and the slash of one without text. */
const TAG = new RegExp(
  String.raw`<(/?)(?!(?:${VOID_ELEMENTS})\b)([A-Za-z][\w.:-]*)(?:[^<>"']|"[^"]*"|'[^']*')*?(/?)>`,
  'g',
);

export function hasElements(languageId: string): boolean {
  return ENDS[languageId] === MARKUP_ENDS;
}

/** The elements that a text leaves open, outermost first, and where it ends those that it has not begun. */
export function elementsIn(text: string) {
  const open: string[] = [];
  const foreignEnds: number[] = [];
  for (const { 1: end, 2: name = '', 3: slash, index } of text.matchAll(TAG)) {
    const last = open.lastIndexOf(name);
    if (end === '') open.push(...(slash === '' ? [name] : []));
    else if (last >= 0) open.splice(last);
    else foreignEnds.push(index);
  }
  return { open, foreignEnds };
}

/** The same of a line that is not complete, so that its first word may still become another one. */
export function mayCloseBlock(line: string, languageId: string): boolean {
  return ENDS[languageId] !== undefined && /^\s*(?:\w*|<)$/.test(line);
}

/** One level of indentation if a text shows none: a tab or some spaces. */
export function usualIndentation(languageId: string): string {
  return TABS.has(languageId) ? '\t' : ' '.repeat(FOUR_SPACES.has(languageId) ? 4 : 2);
}

/** Of text that ends within a name or right behind one. */
export const ENDS_IN_NAME = /[\p{ID_Continue}$]$/u;

const HYPHENATED = new Set('css scss sass less stylus html xml vue svelte clojure lisp scheme'.split(' '));

/** Whether a text would make a name that ends right before it a longer one. */
export function continuesName(text: string, languageId: string): boolean {
  return (HYPHENATED.has(languageId) ? /^[\p{ID_Continue}$-]/u : /^[\p{ID_Continue}$]/u).test(text);
}
