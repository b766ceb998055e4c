// The places in the bundled files where something is taken out. holes.json lists them: a line number, and the line or
// lines as they are in the file, with marks around what is taken out.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const HOLE_KINDS = [
  /** To the end of the line, after a word, a space or a bracket. */
  'rest',
  /** To the end of the line, from within a name. */
  'word',
  /** A whole line after its indentation. */
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
  /** LANGUAGE/NAME, or LANGUAGE/PROJECT/..., below the folder of the files. */
  readonly path: string;
  /** Where that file is. */
  readonly file: string;
  readonly language: string;
  readonly kind: HoleKind;
  /** Where it begins, counted from 1. */
  readonly line: number;
  /** The file with nothing taken out. */
  readonly source: string;
  /** Offsets in the source. */
  readonly start: number;
  readonly end: number;
}

const MARKED = /^([^⟦⟧]*)⟦([^⟦⟧]+)⟧([^⟦⟧]*)$/;

/** Those of `folder`, in the order of its holes.json. Throws TypeError for one that is not where the list has it. */
export function readHoles(folder: string): Hole[] {
  const file = join(folder, 'holes.json');
  const places: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries(recordOf(places)).flatMap(([path, inFile]) => {
    if (!Array.isArray(inFile)) throw new TypeError(`Expected a list for ${path} in ${file}, got none`);
    const source = readFileSync(join(folder, 'files', path), 'utf8');
    const named = { path, file: join(folder, 'files', path) };
    return inFile.map((place: unknown) => ({ ...named, ...holeAt(path, source, place) }));
  });
}

/** `place` is as in holes.json. Throws TypeError when the source is different there. */
function holeAt(path: string, source: string, place: unknown): Omit<Hole, 'file'> {
  const { kind: named, line: given, text } = recordOf(place);
  const kind = HOLE_KINDS.find((each) => each === named);
  const line = Number(given);
  const [, before = '', missing = '', after = ''] = MARKED.exec(String(text)) ?? [];
  const lineStart = source.split('\n', line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  const indentation = /^[ \t]*/.exec(source.slice(lineStart))?.[0].length ?? 0;
  const start = lineStart + indentation + before.length;
  const end = start + missing.length;
  const found = source.slice(start - before.length, end + after.length + 1);
  if (kind === undefined || missing === '' || found !== `${before}${missing}${after}\n`) {
    const [wanted, got] = [place, found].map((each) => JSON.stringify(each));
    throw new TypeError(
      `Expected a hole in ${path} as in ${String(wanted)}, got ${String(got)} there; correct holes.json`,
    );
  }
  return { path, language: path.split('/', 1).join(), kind, line, source, start, end };
}

/** `count` of them, evenly spread. */
export function spread<T>(all: readonly T[], count: number): T[] {
  return all.filter(
    (_, i) => Math.floor((i * count) / all.length) !== Math.floor(((i - 1) * count) / all.length),
  );
}

/** What is taken out. */
export function missingText({ source, start, end }: Hole): string {
  return source.slice(start, end);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return { ...(typeof value === 'object' && value) };
}
