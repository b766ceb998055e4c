// Prints the output of benchmarks: progress on stderr, and on stdout the report as text with its JSON as the last line.
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { table } from '../server/cli/table';
import { WrongValue } from '../server/rules/userError';

/** Writes a line of progress immediately. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Creates the file that `option` names before minutes of measuring. Throws UserError if that fails. */
export function requireWritable(file: string | undefined, option = '--json'): void {
  try {
    if (file !== undefined) closeSync(openSync(file, 'a'));
  } catch (cause) {
    throw new WrongValue({
      expected: `${option} to be a file that can be written`,
      got: `"${String(file)}"`,
      remedy: 'check the path and its permissions',
      cause,
    });
  }
}

/** Prints a report, and writes its JSON to `file` too. */
export function printReport(text: string, report: object, file: string | undefined): void {
  const json = JSON.stringify(report);
  if (file !== undefined) writeFileSync(file, `${json}\n`);
  process.stdout.write(`${text}\n${json}\n`);
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** Formats a table with a line per row and a column per name. */
export function tableOf<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
): string {
  const cells = Object.values(columns);
  return table([Object.keys(columns), ...rows.map((row) => cells.map((cell) => cell(row)))]);
}
