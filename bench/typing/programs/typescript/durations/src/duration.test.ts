import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatDuration, fromSeconds, parseDuration, toSeconds } from './duration';

describe('parseDuration', () => {
  it('reads hours, minutes and seconds', () => {
    assert.deepEqual(parseDuration('1h 30m 5s'), { hours: 1, minutes: 30, seconds: 5 });
  });

  it('treats missing units as zero', () => {
    assert.deepEqual(parseDuration('45m'), { hours: 0, minutes: 45, seconds: 0 });
  });

  it('rejects text that is not a duration', () => {
    assert.throws(() => parseDuration('soon'), RangeError);
    assert.throws(() => parseDuration(''), /Invalid duration/);
  });
});

describe('formatDuration', () => {
  it('leaves out units that are zero', () => {
    assert.equal(formatDuration({ hours: 2, minutes: 0, seconds: 9 }), '2h 9s');
  });

  it('shows an empty duration as zero seconds', () => {
    assert.equal(formatDuration({ hours: 0, minutes: 0, seconds: 0 }), '0s');
  });
});

describe('conversion', () => {
  const cases = [0, 59, 60, 3599, 3600, 86_399];

  for (const total of cases) {
    it(`keeps ${total} seconds through both directions`, () => {
      assert.equal(toSeconds(fromSeconds(total)), total);
    });
  }

  it('agrees with the text form', () => {
    const duration = fromSeconds(5400);
    assert.equal(formatDuration(duration), '1h 30m');
    assert.equal(toSeconds(parseDuration(formatDuration(duration))), 5400);
  });
});
