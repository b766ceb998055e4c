// Mocha's spec reporter, which also reports the result and duration of each test and hook, and the process's resources,
// to the parent process. The parent keeps the count if native code crashes this process.
import { reporters } from 'mocha';

/** Time after the last test at which a process that still runs reports what keeps it open. */
const OPEN_REPORT_MS = 120_000;

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
      // If nothing is open, the process ends before this timer, even on a busy machine.
      setTimeout(() => report('open', openHandles()), OPEN_REPORT_MS).unref();
    });
  }
}

/** Lists the handles of libuv that keep the process running: kind, process id, file descriptor and addresses. */
function openHandles() {
  process.report.excludeNetwork = true; // Otherwise the names of hosts are looked up.
  return process.report
    .getReport()
    .libuv.filter(
      ({ type, is_active: isActive, is_referenced: isReferenced }) =>
        type !== 'loop' && isActive && isReferenced,
    )
    .map(({ type, pid, fd, localEndpoint, remoteEndpoint }) =>
      JSON.stringify({ type, pid, fd, localEndpoint, remoteEndpoint }),
    )
    .join(', ');
}
