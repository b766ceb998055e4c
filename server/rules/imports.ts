// What a file imports: the names, where they stand in its import statements, and in which files of the project they are
// defined. Looks at the words that begin such statements, so that it needs no grammar of any language.
import { join } from 'node:path/posix';

export interface ImportedName {
  readonly name: string;
  readonly line: number;
  readonly character: number;
  /** As the statement spells it: './money', harbour.tides; undefined where that cannot be told. */
  readonly module: string | undefined;
}

/** Imports stand at the top. */
const LINES = 300;
/** Of one statement that goes over several lines. */
const STATEMENT_LINES = 60;
const STARTS = /^\s*(?:import|from|use|using|pub use)\b|^\s*(?:const|let|var)\b.*\brequire\s*\(/;
const OPENS_REQUIRE = /^\s*(?:const|let|var)\s*\{\s*$/;
const MODULE =
  /\bfrom\s*['"]([^'"]+)['"]|\brequire\s*\(\s*['"]([^'"]+)['"]|^\s*from\s+([.\w]+)\s+import\b|^\s*import\s+([\w.]+)(?=\s*(?:$|,|as\b))/;
const SCRIPT_ENDINGS = ['.ts', '.tsx', '.js', '.jsx', '.mjs', '.cjs', '/index.ts', '/index.js'];
const NAMES = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
const WORDS = new Set(
  'import from use using pub export type typeof as const let var require static default crate self super await async'.split(
    ' ',
  ),
);

/** Without those that only lead to a name, such as modules and packages; in the order of the text. */
export function importedNames(text: string): ImportedName[] {
  const lines = text.split(/\r?\n/, LINES);
  const names: ImportedName[] = [];
  for (let i = 0; i < lines.length; i++) {
    const first = lines[i] ?? '';
    if (!STARTS.test(first) && !OPENS_REQUIRE.test(first)) continue;
    const start = i;
    const end = statementEnd(lines, start);
    const module = moduleOf(lines.slice(start, end).join('\n'));
    for (; i < end; i++)
      names.push(...namesIn(withoutPaths(lines[i] ?? '')).map((name) => ({ ...name, line: i, module })));
    i -= 1;
  }
  const known = new Set<string>();
  return names.filter(({ name }) => !known.has(name) && known.add(name));
}

/** The line after a statement, which goes on while it has brackets open. */
function statementEnd(lines: readonly string[], start: number): number {
  let open = 0;
  const most = Math.min(lines.length, start + STATEMENT_LINES);
  for (let i = start; i < most; i++) {
    const line = withoutPaths(lines[i] ?? '');
    open += (line.match(/[{(]/g)?.length ?? 0) - (line.match(/[})]/g)?.length ?? 0);
    if (open <= 0) return i + 1;
  }
  return most;
}

function moduleOf(statement: string): string | undefined {
  return MODULE.exec(statement)
    ?.slice(1)
    .find((name) => name !== undefined);
}

/** Texts, comments and the module of `from` become blanks, so that places stay. */
function withoutPaths(line: string): string {
  return line
    .replace(/(['"`]).*?\1/g, blanks)
    .replace(/(?:\/\/|#(?!include)).*$/, blanks)
    .replace(/^\s*from\s+[\w.]+/, blanks);
}

function blanks(text: string): string {
  return ' '.repeat(text.length);
}

function namesIn(line: string): { name: string; character: number }[] {
  return [...line.matchAll(NAMES)].flatMap(({ 0: name, index }) => {
    const leadsOn = /^\s*(?:::|\.(?!\s*$)|\/|\s+as\b)/.test(line.slice(index + name.length));
    return leadsOn || WORDS.has(name) ? [] : [{ name, character: index }];
  });
}

/**
 * Where a module of the same project can lie, relative to the folder of the file that imports it; the first that exists
 * is it. None for packages of JavaScript. What Python imports may also lie at the root of the project.
 */
export function moduleFiles(module: string, languageId: string): string[] {
  if (languageId === 'python') {
    const [, dots = '', name = ''] = /^(\.*)(.*)$/.exec(module) ?? [];
    const path = join('../'.repeat(Math.max(0, dots.length - 1)), name.replaceAll('.', '/'));
    return [`${path}.py`, join(path, '__init__.py')];
  }
  if (!/^\.{1,2}(\/|$)/.test(module)) return [];
  const path = join(module);
  const asSource = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  return [...new Set([path, asSource, ...SCRIPT_ENDINGS.map((ending) => join(path + ending))])];
}

/** The text of a module from the line that defines a name on; undefined if it defines none. */
export function definitionIn(source: string, name: string): string | undefined {
  const escaped = name.replaceAll('$', '\\$');
  const defined = new RegExp(
    `^(?:@.*\\n)*(?:export\\s+)?(?:default\\s+)?(?:declare\\s+)?(?:abstract\\s+)?(?:async\\s+)?` +
      `(?:class|interface|enum|type|function\\*?|const|let|var|def)\\s+${escaped}(?![\\w$])|^${escaped}\\s*[:=]`,
    'm',
  ).exec(source);
  return defined ? source.slice(defined.index) : undefined;
}

// What stands before a cursor on its line: the receiver of a member, and the function whose arguments are being written.
// Looks at brackets and dots only, so that it needs no grammar of any language.

/** Some text of a line, and where its last name begins. */
export interface NameBefore {
  readonly text: string;
  readonly at: number;
}

const RECEIVER =
  /(?:[\p{L}_$][\p{L}\p{N}_$]*\s*\??\.\s*)*?([\p{L}_$][\p{L}\p{N}_$]*)\s*\??\.\s*[\p{L}\p{N}_$]*$/u;
const CALLED = /(?:[\p{L}_$][\p{L}\p{N}_$]*\??\.)*([\p{L}_$][\p{L}\p{N}_$]*)$/u;
/** What the file itself says. */
const OWN = new Set(['this', 'self', 'super', 'cls']);
const BEFORE_BRACKETS = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'return',
  'function',
  'def',
  'class',
  'await',
]);

/** `this.db` at `this.db.que`; undefined where no name stands before the last dot, or the object itself. */
export function receiver(line: string): NameBefore | undefined {
  const found = RECEIVER.exec(line);
  return found && !OWN.has(found[1] ?? '')
    ? named(found[0].replace(/\s*\??\.[^.]*$/, ''), found.index)
    : undefined;
}

/** `db.open` at `db.open(path, `. */
export function calledName(line: string): NameBefore | undefined {
  let closed = 0;
  for (let i = line.length - 1; i >= 0; i--) {
    if (line[i] === ')') closed += 1;
    if (line[i] === '(' && (closed -= 1) < 0) {
      const found = CALLED.exec(line.slice(0, i));
      return found && !BEFORE_BRACKETS.has(found[1] ?? '') ? named(found[0], found.index) : undefined;
    }
  }
  return undefined;
}

function named(text: string, index: number): NameBefore {
  const own = /[\p{L}\p{N}_$]*$/u.exec(text)?.index ?? 0;
  return { text, at: index + own };
}
