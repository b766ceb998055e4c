// Replays part of a long day in two minutes, nightly only; npm run longday replays a complete one.
import assert from 'node:assert/strict';
import { fullSize } from '../../support/fullSize';
import { dayReport } from './dayReport';
import { longDay } from './longDay';

const { signal } = new AbortController();
const DAY = { hours: 0.6, speed: 20, seed: 1, signal };

describe('part of a long day of typing', () => {
  before(function () {
    if (!fullSize) this.skip();
  });

  // This part is too short to show whether memory grows.
  it('keeps every document as typed, and leaks no handles, timers, listeners, threads or files', async () => {
    assert.deepEqual(dayReport(await longDay(DAY)).complaints, []);
  });
});
