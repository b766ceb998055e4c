// What programs that measure print: progress on stderr, and on stdout the report as text with its JSON as the last line.
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { table } from '../server/cli/statsTable';
import { InputError } from '../server/rules/inputError';

/** Progress, written immediately. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Checked before minutes of measuring, not after them; creates the file of `--json`. Throws InputError. */
export function requireWritable(file: string | undefined): void {
  try {
    if (file !== undefined) closeSync(openSync(file, 'a'));
  } catch (cause) {
    throw new InputError({
      expected: '--json to be a file that can be written',
      got: `"${String(file)}"`,
      remedy: 'check the path and its permissions',
      cause,
    });
  }
}

/** `file` gets the JSON too. */
export function printReport(text: string, report: object, file: string | undefined): void {
  const json = JSON.stringify(report);
  if (file !== undefined) writeFileSync(file, `${json}\n`);
  process.stdout.write(`${text}\n${json}\n`);
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** A line for each row, a column for each name. */
export function tableOf<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
): string {
  const cells = Object.values(columns);
  return table([Object.keys(columns), ...rows.map((row) => cells.map((cell) => cell(row)))]);
}
