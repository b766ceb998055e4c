// Tests the times of one step: laps, and the time spent building graphs.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Stopwatch } from '../../server/engine/decode/stopwatch';

describe('Stopwatch', () => {
  it('counts no time twice if several drafters build graphs in one lap', () => {
    let now = 0;
    const clock = mock.method(performance, 'now', () => now);
    try {
      const stopwatch = new Stopwatch();
      now = 2;
      stopwatch.endBuild();
      now = 5;
      stopwatch.endBuild();
      now = 9;
      assert.equal(stopwatch.lap(), 9);
      now = 10;
      stopwatch.endBuild();
      assert.equal(stopwatch.lap(), 1);
      assert.equal(stopwatch.buildMs, 6);
    } finally {
      clock.mock.restore();
    }
  });
});
