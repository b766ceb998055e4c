// Runs a day of a few minutes, nightly only; npm run longday replays a whole one.
import assert from 'node:assert/strict';
import { fullSize } from '../../support/fullSize';
import { dayReport } from './dayReport';
import { longDay } from './longDay';

const { signal } = new AbortController();
const DAY = { hours: 0.6, speed: 20, seed: 1, signal };

describe('a day of minutes', () => {
  before(function () {
    if (!fullSize) this.skip();
  });

  it('keeps every text and leaves nothing behind', async () => {
    assert.deepEqual(dayReport(await longDay(DAY)).complaints, []);
  });
});
