// Mocha's spec reporter, which also reports to the parent process how each test ended, how long it and each hook took, and
// what the process used.
// Counting outside of the test process keeps the count when native code takes that process down.
import { reporters } from 'mocha';

/** A process that has nothing left to do ends within moments, also on a busy machine. */
const OPEN_MS = 120_000;

export default class Tally extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const report = (event, title, ms) => process.send?.({ event, title, ms });
    runner.on('start', () => report('hook', 'loading the test files', process.uptime() * 1000));
    runner.on('hook end', (hook) => report('hook', hook.fullTitle(), hook.duration));
    for (const event of ['pass', 'fail'])
      runner.on(event, (test) => report(event, test.fullTitle(), test.duration));
    runner.on('end', () => {
      const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
      const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
      process.send?.({ event: 'end', cpuSeconds, peakBytes: maxRSS * 1024 });
      // Without something open, there is no process any more that this timer could run in.
      setTimeout(() => report('open', process.getActiveResourcesInfo().join(', ')), OPEN_MS).unref();
    });
  }
}
