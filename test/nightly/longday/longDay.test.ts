// A few rounds of a day, or a day of minutes at full size; npm run longday replays a whole one.
import assert from 'node:assert/strict';
import { fullSize } from '../../support/fullSize';
import { dayReport } from './dayReport';
import { longDay } from './longDay';

const { signal } = new AbortController();
const DAY = { hours: 0.6, speed: 20, seed: 1, signal };
/** Three seconds, and the round that has begun by then. */
const ROUNDS = { hours: 0.1, speed: 120, seed: 3, signal };

describe('rounds of a day', () => {
  it('keep every text, and tell what the server holds', async () => {
    const { samples, keys, wrongDocuments, printed } = await longDay(ROUNDS);
    assert.deepEqual([wrongDocuments, printed], [[], '']);
    assert.ok(keys > 0 && samples.length > 0);
    for (const { holding } of samples)
      assert.ok(holding.residentBytes > holding.heapBytes && holding.heapBytes > 0 && holding.listeners > 0);
  });
});

describe('a day of minutes', () => {
  before(function () {
    if (!fullSize) this.skip();
  });

  it('keeps every text and leaves nothing behind', async () => {
    assert.deepEqual(dayReport(await longDay(DAY), undefined).complaints, []);
  });
});
