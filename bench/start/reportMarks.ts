// Loaded before a server that is measured. When the process ends, it reports when the first line ran and when each part
// of the start-up had ended. Knows nothing about the server except that it leaves marks.
import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { ReportedMarks } from './measureStart';

const file = process.env['FLASHLINE_MARKS'] ?? '';

process.once('exit', () => {
  const { timeOrigin, nodeTiming } = performance;
  const report: ReportedMarks = {
    runsAt: timeOrigin + nodeTiming.bootstrapComplete,
    marks: performance
      .getEntriesByType('mark')
      .map(({ name, startTime }) => ({ name, at: timeOrigin + startTime })),
  };
  writeFileSync(file, JSON.stringify(report));
});
