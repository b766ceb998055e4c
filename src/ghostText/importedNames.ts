// The names that a file imports, and where they stand in its import statements. Goes by the words that begin such
// statements, so that it needs no grammar of any language.

export interface ImportedName {
  readonly name: string;
  readonly line: number;
  readonly character: number;
}

/** Imports stand at the top. */
const LINES = 300;
/** Of one statement that goes over several lines. */
const STATEMENT_LINES = 60;
const STARTS = /^\s*(?:import|from|use|using|pub use)\b|^\s*(?:const|let|var)\b.*\brequire\s*\(/;
const OPENS_REQUIRE = /^\s*(?:const|let|var)\s*\{\s*$/;
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
    let open = 0;
    for (const start = i; i < Math.min(lines.length, start + STATEMENT_LINES); i++) {
      const line = withoutPaths(lines[i] ?? '');
      names.push(...namesIn(line).map(({ name, character }) => ({ name, line: i, character })));
      open += (line.match(/[{(]/g)?.length ?? 0) - (line.match(/[})]/g)?.length ?? 0);
      if (open <= 0) break;
    }
  }
  const known = new Set<string>();
  return names.filter(({ name }) => !known.has(name) && known.add(name));
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
