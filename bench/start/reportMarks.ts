// Preloaded into a measured server. When the process ends, writes when its first line ran and when each stage of the
// start ended. Knows nothing about the server except its performance marks.
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
