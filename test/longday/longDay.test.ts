// A day of minutes; npm run longday replays a whole one.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fullSize } from '../support/fullSize';
import { dayReport } from './dayReport';
import { longDay } from './longDay';

const { signal } = new AbortController();
const DAY = { hours: 0.6, speed: 20, seed: 1, signal };

describe('a day of minutes', () => {
  before(function () {
    if (!fullSize) this.skip();
  });

  it('keeps every text and leaves nothing behind', async () => {
    assert.deepEqual(dayReport(await longDay(DAY), undefined).complaints, []);
  });

  it('notices a server that leaks', async () => {
    const day = await longDay({ ...DAY, preloads: [join(__dirname, 'leakSlowly.js')] });
    const { complaints } = dayReport(day, undefined);
    assert.ok(complaints.some((line) => line.startsWith('Expected listeners of the server to grow')));
    assert.ok(complaints.some((line) => line.startsWith('Expected timers of the server to grow')));
  });
});
