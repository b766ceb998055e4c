// Mocha's spec reporter, which also tells the parent process how each test ended.
// Counting outside of the test process keeps the count when native code takes that process down.
import { reporters } from 'mocha';

export default class Tally extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    for (const event of ['pass', 'fail', 'end']) runner.on(event, () => process.send?.(event));
  }
}
