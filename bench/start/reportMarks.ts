// Loaded before a server that is measured. When the process ends, it reports when the first line ran and when each part
// of the start-up had ended. Knows nothing about the server except that it leaves marks.
import { writeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { ReportedMarks } from './startedServer';

/** The file descriptor that the caller reads. */
const CHANNEL = 3;

process.once('exit', () => {
  const { timeOrigin, nodeTiming } = performance;
  const report: ReportedMarks = {
    runsAt: timeOrigin + nodeTiming.bootstrapComplete,
    marks: performance
      .getEntriesByType('mark')
      .map(({ name, startTime }) => ({ name, at: timeOrigin + startTime })),
  };
  writeSync(CHANNEL, JSON.stringify(report));
});
