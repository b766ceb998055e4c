// Formats a long day as tables, and lists what went wrong in it: growing resources, wrong documents and printed errors.
import { markdownTable } from '../../../bench/docs/markdownTable';
import type { EditorDay } from './editorDay';
import { judgeDay, medians, type DaySample } from './judgeDay';
import type { Day } from './longDay';

interface DayReport {
  readonly text: string;
  /** Sentences about everything that went wrong; empty after a good day. */
  readonly complaints: readonly string[];
}

export function dayReport(day: Day, editor?: EditorDay): DayReport {
  const server = reportOf('server', day.samples);
  const host = editor && reportOf('extension host', editor.samples);
  const lines = [
    `Server: ${day.samples.length} rounds, ${listOf({ keys: day.keys, ...day.events })}`,
    server.text,
    `Medians to a suggestion, by tenths of the day: ${medians(day.samples).map(Math.round).join(', ')} ms`,
    ...(editor && host ? [`Extension host: ${listOf(editor.done)}`, host.text] : []),
  ];
  const complaints = [
    ...server.complaints,
    ...(host?.complaints ?? []),
    ...day.wrongDocuments.map((file) => `${file} does not have the text that was typed.`),
    ...(day.printed === '' ? [] : [`The server printed: ${day.printed}`]),
    ...(editor?.done.lost ? [`Typed text was lost in ${editor.done.lost} rounds.`] : []),
  ];
  return { text: lines.join('\n'), complaints };
}

function reportOf(processName: string, samples: readonly DaySample[]): DayReport {
  const figures = judgeDay(samples).map(({ slope, standardError, ...figure }) => {
    return { ...figure, growth: `${slope.toFixed(2)} ± ${standardError.toFixed(2)}` };
  });
  const rows = figures.map(({ name, mean, growth, limit }) => [name, mean.toFixed(1), growth, String(limit)]);
  return {
    text: markdownTable([['', 'mean', 'growth per hour', 'limit'], ...rows]),
    complaints: figures
      .filter(({ grows }) => grows)
      .map(
        ({ name, limit, growth }) =>
          `Expected ${name} of the ${processName} to grow by at most ${limit} an hour, got ${growth}`,
      ),
  };
}

function listOf(events: Readonly<Record<string, number>>): string {
  return Object.entries(events)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
