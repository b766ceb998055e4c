// Mocha's spec reporter, which also tells the parent process how each test ended, and how long it and each hook took.
// Counting outside of the test process keeps the count when native code takes that process down.
import { reporters } from 'mocha';

/** A process that has nothing left to do ends within moments, also on a busy machine. */
const OPEN_MS = 120_000;

export default class Tally extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const tell = (event, title, ms) => process.send?.({ event, title, ms });
    runner.on('start', () => tell('hook', 'loading the test files', process.uptime() * 1000));
    runner.on('hook end', (hook) => tell('hook', hook.fullTitle(), hook.duration));
    for (const event of ['pass', 'fail'])
      runner.on(event, (test) => tell(event, test.fullTitle(), test.duration));
    runner.on('end', () => {
      tell('end');
      // Without something open, there is no process any more that this timer could run in.
      setTimeout(() => tell('open', process.getActiveResourcesInfo().join(', ')), OPEN_MS).unref();
    });
  }
}
