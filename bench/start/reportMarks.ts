// Goes before a server that is measured: tells, at its end, when its process ran its first line and when each part of its
// starts had ended. Knows nothing about the server but that it leaves marks.
import { writeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { ReportedMarks } from './startedServer';

/** That the caller listens to. */
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
