// Finds the names that a file imports, their positions, and the files of the project that define them. Recognises
// import statements by their first words, so no grammar of a language is needed.
import { join } from 'node:path/posix';

export interface ImportedName {
  readonly name: string;
  /** Position of the name, from 0. */
  readonly line: number;
  readonly character: number;
  /** Module as written in the statement: './money', harbour.tides; undefined where it is unclear. */
  readonly module: string | undefined;
}

/** Lines at the top of a file that are searched for imports. */
export const HEAD_LINES = 300;
/** Maximum lines of one statement. */
const MAX_STATEMENT_LINES = 60;
/** Matches the first line of an import statement. */
const STARTS = /^\s*(?:import|from|use|using|pub use)\b|^\s*(?:const|let|var)\b.*\brequire\s*\(/;
/** Matches the first line of a destructuring over several lines; its last line can have `require`. */
const OPENS_REQUIRE = /^\s*(?:const|let|var)\s*\{\s*$/;
/** Matches the module of a statement, in the first group that is not empty; the last two are Python's. */
const MODULE =
  /\bfrom\s*['"]([^'"]+)['"]|\brequire\s*\(\s*['"]([^'"]+)['"]|^\s*from\s+([.\w]+)\s+import\b|^\s*import\s+(?![^]*\bfrom\s*['"])([\w.]+)(?=\s*(?:$|,|as\b))/;
const SCRIPT_ENDINGS = ['.ts', '.tsx', '.js', '.jsx', '.mjs', '.cjs', '/index.ts', '/index.js'];
const NAMES = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
/** Keywords, which are not imported names. */
const KEYWORDS = new Set(
  'import from use using pub export type typeof as const let var require static default crate self super await async'.split(
    ' ',
  ),
);

/** Returns the imported names in order, without duplicates and without the modules and packages that they are from. */
export function importedNames(text: string): ImportedName[] {
  const lines = text.split(/\r?\n/, HEAD_LINES);
  const names: ImportedName[] = [];
  let start = 0;
  while (start < lines.length) {
    const { end, module } = importAt(lines, start) ?? { end: start };
    for (let line = start; line < end; line++)
      names.push(...namesIn(withoutPaths(lines[line] ?? '')).map((name) => ({ ...name, line, module })));
    start = Math.max(end, start + 1);
  }
  const seen = new Set<string>();
  return names.filter(({ name }) => !seen.has(name) && seen.add(name));
}

interface ImportStatement {
  /** Index of the line after the statement. */
  readonly end: number;
  readonly module: string | undefined;
}

/** Returns the import statement that begins at a line. A destructuring is one only if it has a module. */
function importAt(lines: readonly string[], start: number): ImportStatement | undefined {
  const first = lines[start] ?? '';
  const isDestructuring = OPENS_REQUIRE.test(first);
  if (!STARTS.test(first) && !isDestructuring) return undefined;
  const end = statementEnd(lines, start);
  const module = moduleOf(lines.slice(start, end).join('\n'));
  return isDestructuring && module === undefined ? undefined : { end, module };
}

/** Returns the index of the line after a statement. A statement continues while brackets are open. */
function statementEnd(lines: readonly string[], start: number): number {
  let open = 0;
  const limit = Math.min(lines.length, start + MAX_STATEMENT_LINES);
  for (let i = start; i < limit; i++) {
    const line = withoutPaths(lines[i] ?? '');
    open += (line.match(/[{(]/g)?.length ?? 0) - (line.match(/[})]/g)?.length ?? 0);
    if (open <= 0) return i + 1;
  }
  return limit;
}

function moduleOf(statement: string): string | undefined {
  return MODULE.exec(statement)
    ?.slice(1)
    .find((name) => name !== undefined);
}

/** Replaces strings, comments and the module of `from` by blanks, so that positions stay the same. */
function withoutPaths(line: string): string {
  return line
    .replace(/(['"`]).*?\1/g, blanks)
    .replace(/(?:\/\/|#).*$/, blanks)
    .replace(/^\s*from\s+[\w.]+/, blanks);
}

function blanks(text: string): string {
  return ' '.repeat(text.length);
}

/** Returns the names in a line with their columns, except keywords and names before `::`, `.`, `/` and `as`. */
function namesIn(line: string): { name: string; character: number }[] {
  return [...line.matchAll(NAMES)].flatMap(({ 0: name, index }) => {
    const isQualifier = /^(?:\s*(?:::|\.(?!\s*$)|\/)|\s+as\b)/.test(line.slice(index + name.length));
    return isQualifier || KEYWORDS.has(name) ? [] : [{ name, character: index }];
  });
}

/**
 * Returns the paths at which a module of the same project can be, relative to the folder of the importing file. The
 * first one that exists is the module. A JavaScript package has none. A Python module can also be at the root of the
 * project.
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

/** Returns the text of a module from the definition of a name to its end; undefined if it does not define the name. */
export function definitionIn(source: string, name: string): string | undefined {
  const escaped = name.replaceAll('$', '\\$');
  const defined = new RegExp(
    `^(?:@.*\\n){0,20}(?:export\\s+)?(?:default\\s+)?(?:declare\\s+)?(?:abstract\\s+)?(?:async\\s+)?` +
      `(?:class|interface|enum|type|function\\*?|const|let|var|def)\\s+${escaped}(?![\\w$])|^${escaped}\\s*[:=]`,
    'm',
  ).exec(source);
  return defined ? source.slice(defined.index) : undefined;
}
