// A long day as tables for a report, and whether it kept its promise.
import { markdownTable } from '../../../bench/docs/markdownTable';
import type { EditorDay } from './editorDay';
import { judgeDay, type JudgedDay } from './judgeDay';
import type { Day } from './longDay';

export interface DayReport {
  readonly text: string;
  /** Each a line; none if all is well. */
  readonly complaints: readonly string[];
}

export function dayReport(day: Day, editor: EditorDay | undefined): DayReport {
  const server = judgeDay(day.samples);
  const host = editor && judgeDay(editor.samples);
  const { first, last, deviation } = server.times;
  const lines = [
    `Server: ${day.samples.length} rounds, ${day.keys} keys, ${counted(day.events)}`,
    table(server),
    `Median to a suggestion: ${ms(first)} in the first tenth, ${ms(last)} in the last,`,
    `standard deviation of all tenths ${ms(deviation)}`,
    ...(editor && host
      ? [
          `Extension host: ${editor.rounds} rounds, ${editor.keys} keys, ${editor.accepted} accepted, ` +
            `${editor.models} model changes, ${editor.restarts} server restarts`,
          table(host),
        ]
      : []),
  ];
  return { text: lines.join('\n'), complaints: complaints(day, editor, server, host) };
}

function complaints(day: Day, editor: EditorDay | undefined, server: JudgedDay, host?: JudgedDay): string[] {
  const grown = (where: string, judged?: JudgedDay): string[] =>
    (judged?.figures ?? [])
      .filter(({ grows }) => grows)
      .map(({ name, slope, standardError, limit }) => {
        const found = `${slope.toFixed(2)} ± ${standardError.toFixed(2)}`;
        return `Expected ${name} of the ${where} to grow by at most ${limit} an hour, got ${found}`;
      });
  return [
    ...grown('server', server),
    ...grown('extension host', host),
    ...day.wrongDocuments.map((file) => `Expected ${file} to read as it was typed, got another text`),
    ...(day.printed === '' ? [] : [`Expected the server to print nothing, got ${day.printed}`]),
    ...(editor && editor.lost > 0
      ? [`Expected every typed character, got some lost in ${editor.lost} rounds`]
      : []),
  ];
}

function table({ figures }: JudgedDay): string {
  return markdownTable([
    ['', 'mean', 'growth per hour', 'limit'],
    ...figures.map(({ name, unit, mean, slope, standardError, limit }) => [
      unit === '' ? name : `${name} (${unit})`,
      mean.toFixed(1),
      `${slope.toFixed(2)} ± ${standardError.toFixed(2)}`,
      String(limit),
    ]),
  ]);
}

function counted(events: Readonly<Record<string, number>>): string {
  return Object.entries(events)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
