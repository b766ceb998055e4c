// Reads holes: parts of the bundled files whose text is removed. holes.json lists them with a line number, and the line
// or lines of the file, without the first indentation, with marks around the removed text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const HOLE_KINDS = [
  /** Rest of a line, not from within a name. */
  'rest',
  /** Rest of a line, from within a name. */
  'word',
  /** Whole line after its indentation. */
  'line',
  /** Part of a line: the cursor has text after it. */
  'middle',
  /** Everything between the brackets of a call. */
  'arguments',
  /** Two to four whole lines. */
  'block',
] as const;

export type HoleKind = (typeof HOLE_KINDS)[number];

export interface Hole {
  /** Path LANGUAGE/NAME, or LANGUAGE/PROJECT/..., in the folder of the files. */
  readonly path: string;
  /** Path of the file on disk. */
  readonly file: string;
  readonly language: string;
  readonly kind: HoleKind;
  /** Line in which the hole begins, counted from 1. */
  readonly line: number;
  /** Complete text of the file. */
  readonly source: string;
  /** Offsets of the hole in the source. */
  readonly start: number;
  readonly end: number;
}

const MARKED = /^([^⟦⟧]*)⟦([^⟦⟧]+)⟧([^⟦⟧]*)$/;

/** Reads the holes of `folder`, in the order of its holes.json. Throws TypeError for a hole that its file lacks. */
export function readHoles(folder: string): Hole[] {
  const file = join(folder, 'holes.json');
  const entriesByPath: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries(recordOf(entriesByPath)).flatMap(([path, entries]) => {
    if (!Array.isArray(entries))
      throw new TypeError(`The holes of ${path} are not a list; correct them in ${file}`);
    const sourceFile = join(folder, 'files', path);
    const source = readFileSync(sourceFile, 'utf8');
    return entries.map((entry: unknown) => ({ file: sourceFile, ...holeAt(path, source, entry) }));
  });
}

/** Finds a hole. `entry` is its entry in holes.json. Throws TypeError if the source differs there. */
function holeAt(path: string, source: string, entry: unknown): Omit<Hole, 'file'> {
  const { kind: kindName, line: lineNumber, text } = recordOf(entry);
  const kind = HOLE_KINDS.find((holeKind) => holeKind === kindName);
  const line = Number(lineNumber);
  const [, before = '', missing = '', after = ''] = MARKED.exec(String(text)) ?? [];
  const lineStart = source.split('\n', line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  const indentation = /^[ \t]*/.exec(source.slice(lineStart))?.[0].length ?? 0;
  const start = lineStart + indentation + before.length;
  const end = start + missing.length;
  const found = source.slice(start - before.length, end + after.length + 1);
  if (kind === undefined || missing === '' || found !== `${before}${missing}${after}\n`) {
    throw new TypeError(
      `Expected a hole in ${path} as in ${JSON.stringify(entry)}, got ${JSON.stringify(found)} there; correct holes.json`,
    );
  }
  return { path, language: path.split('/', 1).join(), kind, line, source, start, end };
}

/** Returns `count` evenly spread elements. */
export function spread<T>(all: readonly T[], count: number): T[] {
  return all.filter(
    (_, i) => Math.floor((i * count) / all.length) !== Math.floor(((i - 1) * count) / all.length),
  );
}

/** Returns the removed text. */
export function missingText({ source, start, end }: Hole): string {
  return source.slice(start, end);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return { ...(typeof value === 'object' && value) };
}
