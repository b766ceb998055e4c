// What is made of the samples of a long day.
import assert from 'node:assert/strict';
import { seededRandom } from '../../support/seededRandom';
import { judgeDay, type DaySample } from './judgeDay';
import { growsBeyond, trend } from './trend';

const SAMPLES = 200;
const HOURS = 8;

/** A day with noise, in which a figure grows by so much in an hour. */
function day(grown: DaySample['holding'], hours = HOURS): DaySample[] {
  const random = seededRandom(1);
  return Array.from({ length: SAMPLES }, (_, i) => {
    const hour = (hours * i) / SAMPLES;
    const noise = random() - 0.5;
    const { residentBytes = 0, listeners = 0 } = grown;
    return {
      hour,
      holding: {
        residentBytes: 5e8 + 5e7 * noise + residentBytes * hour,
        listeners: 31 + Math.round(noise) + Math.floor(listeners * hour),
      },
      times: [100 + 10 * noise],
    };
  });
}

function growing(samples: readonly DaySample[]): string[] {
  return judgeDay(samples)
    .figures.filter(({ grows }) => grows)
    .map(({ name }) => name);
}

describe('a long day', () => {
  it('is well if all stays as it was, whatever the noise', () => {
    assert.deepEqual(growing(day({})), []);
  });

  it('is not, if memory or listeners grow', () => {
    assert.deepEqual(growing(day({ residentBytes: 3e7 })), ['resident memory']);
    assert.deepEqual(growing(day({ listeners: 2 })), ['listeners']);
  });

  it('is too short to judge memory by, and long enough for listeners', () => {
    assert.deepEqual(growing(day({ residentBytes: 3e8, listeners: 20 }, 1)), ['listeners']);
  });

  it('compares its first tenth with its last', () => {
    const samples = day({}).map((each, i) => ({ ...each, times: [i < SAMPLES / 2 ? 100 : 200] }));
    const { first, last, deviation } = judgeDay(samples).times;
    assert.deepEqual([first, last, deviation], [100, 200, 50]);
  });
});

describe('a trend', () => {
  it('has the slope of its line', () => {
    const { slope, standardError } = trend([0, 1, 2, 3, 4].map((at) => ({ at, value: 7 + 3 * at })));
    assert.ok(Math.abs(slope - 3) < 1e-9);
    assert.ok(standardError < 1e-9);
  });

  it('is not sure of two points', () => {
    const points = [0, 1].map((at) => ({ at, value: at }));
    assert.equal(trend(points).standardError, Infinity);
    assert.ok(!growsBeyond(trend(points), 0));
  });
});
