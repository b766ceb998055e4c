// What prompts, filters and the end of ghost text need to know about a language: its comments, what opens a block, and
// its usual indentation.

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
const WORD_OPENS = new Set(['ruby', 'lua', 'shellscript', 'elixir', 'julia', 'sql']);

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
  const text = line.trim();
  if (OPENS.test(text)) return true;
  if (COLON_OPENS.has(languageId) && text.endsWith(':')) return true;
  return WORD_OPENS.has(languageId) && /\b(do|then|else|begin)$/i.test(text);
}

/** One level of indentation if a text shows none: a tab or some spaces. */
export function usualIndentation(languageId: string): string {
  return TABS.has(languageId) ? '\t' : ' '.repeat(FOUR_SPACES.has(languageId) ? 4 : 2);
}
