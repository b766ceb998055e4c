// Formats a long day as tables, and decides whether it kept its promise.
import { markdownTable } from '../../../bench/docs/markdownTable';
import type { EditorDay } from './editorDay';
import { judgeDay, medians, type DaySample } from './judgeDay';
import type { Day } from './longDay';

interface DayReport {
  readonly text: string;
  /** Lines of complaints; empty if there are none. */
  readonly complaints: readonly string[];
}

export function dayReport(day: Day, editor?: EditorDay): DayReport {
  const server = judged('server', day.samples);
  const host = editor && judged('extension host', editor.samples);
  const lines = [
    `Server: ${day.samples.length} rounds, ${counted({ keys: day.keys, ...day.events })}`,
    server.text,
    `Medians to a suggestion, by tenths of the day: ${medians(day.samples).map(Math.round).join(', ')} ms`,
    ...(editor && host ? [`Extension host: ${counted(editor.done)}`, host.text] : []),
  ];
  const complaints = [
    ...[...server.complaints, ...(host?.complaints ?? [])],
    ...day.wrongDocuments.map((file) => `Expected ${file} to read as it was typed, got another text`),
    ...(day.printed === '' ? [] : [`Expected the server to print nothing, got ${day.printed}`]),
    ...(editor?.done.lost
      ? [`Expected every typed character, got some lost in ${editor.done.lost} rounds`]
      : []),
  ];
  return { text: lines.join('\n'), complaints };
}

function judged(where: string, samples: readonly DaySample[]): DayReport {
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
          `Expected ${name} of the ${where} to grow by at most ${limit} an hour, got ${growth}`,
      ),
  };
}

function counted(events: Readonly<Record<string, number>>): string {
  return Object.entries(events)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
