// Reads FILE:LINE:COL on the command line: the text of a file around a cursor. Lines and columns count from 1, columns
// in UTF-16 units.
import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { readRegularFile } from '../machine/regularFile';
import { attempt, WrongValue } from '../rules/userError';
import { MAX_TEXT_LENGTH } from '../rules/notCode';

export interface SourceLocation {
  readonly file: string;
  readonly fileName: string;
  readonly line: number;
  readonly column: number;
  /** Texts before and after the cursor. */
  readonly prefix: string;
  readonly suffix: string;
}

const MAX_BYTES = 5_000_000;
const FORM = 'FILE:LINE:COL';

/** Reads the file of a location. Throws UserError for another form, and for a place that the file does not have. */
export function readSourceLocation(argument: string | undefined): SourceLocation {
  const match = /^(.+):(\d+):(\d+)$/s.exec(argument ?? '');
  const [, file, line, column] = match ?? [];
  if (file === undefined || line === undefined || column === undefined) {
    const got = argument === undefined ? 'nothing' : `"${argument}"`;
    throw new WrongValue({ expected: FORM, got, remedy: 'give a location such as src/app.ts:12:5' });
  }
  const text = readSource(file);
  const offset = offsetOf(text, file, Number(line), Number(column));
  return {
    file,
    fileName: basename(file),
    line: Number(line),
    column: Number(column),
    prefix: text.slice(0, offset),
    suffix: text.slice(offset),
  };
}

/** Reads a file to complete. Rejects long ones, which get no suggestions in editors either. */
export function readSource(file: string): string {
  const text = readText(file);
  if (text.length <= MAX_TEXT_LENGTH) return text;
  throw new WrongValue({
    expected: `at most ${String(MAX_TEXT_LENGTH)} characters in ${file}`,
    got: String(text.length),
    remedy: 'choose a shorter file',
  });
}

/** Reads a UTF-8 text file of at most MAX_BYTES. Throws UserError for any other file. */
export function readText(file: string): string {
  const expected = `a file at ${file}`;
  if (!existsSync(file)) throw new WrongValue({ expected, got: 'nothing', remedy: 'check the path' });
  const bytes = attempt(expected, 'choose a file that can be read and is not larger', () =>
    readRegularFile(file, MAX_BYTES),
  );
  if (bytes.includes(0) || !isUtf8(bytes)) {
    throw new WrongValue({
      expected: `UTF-8 text at ${file}`,
      got: 'binary data or another encoding',
      remedy: 'choose a text file',
    });
  }
  // TextDecoder drops the byte order mark, which editors do not count as a column.
  return new TextDecoder().decode(bytes);
}

function offsetOf(text: string, file: string, line: number, column: number): number {
  const starts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((end) => end.index + end[0].length)];
  const start = starts[line - 1];
  if (start === undefined) {
    throw new WrongValue({
      expected: `a line from 1 to ${String(starts.length)} of ${file}`,
      got: String(line),
      remedy: 'correct the line number',
    });
  }
  const length = /^[^\r\n]*/.exec(text.slice(start, starts[line]))?.[0].length ?? 0;
  if (column >= 1 && column <= length + 1) return start + column - 1;
  throw new WrongValue({
    expected: `a column from 1 to ${String(length + 1)} in line ${String(line)} of ${file}`,
    got: String(column),
    remedy: 'correct the column number',
  });
}
