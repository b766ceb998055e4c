// Rounds beside loads: who is measured when, that every load ends, and the ratios of what was measured.
import assert from 'node:assert/strict';
import { compareLoads } from '../../../bench/busy/compareLoads';
import { LOADS, type LoadName } from '../../../bench/busy/load';
import type { Times } from '../../../bench/busy/subject';

const times = (ms: number): Times => ({ prefill: 100 * ms, step: ms, verify: 2 * ms, suggestion: 200 * ms });

/** Compares subjects by what they take in the load that runs, and tells what happened. */
async function compare(rounds: number, subjects: ((load: LoadName, round: number) => Times)[]) {
  const events: string[] = [];
  let running: LoadName | undefined;
  let round = 0;
  const figures = await compareLoads({
    rounds,
    subjects,
    progress: () => undefined,
    startLoad: (name) => {
      assert.equal(running, undefined, 'two loads at a time');
      if (name === 'quiet') round += 1;
      running = name;
      return Promise.resolve(() => {
        running = undefined;
        return Promise.resolve();
      });
    },
    measure: (subject) => {
      assert.ok(running);
      events.push(`${running} ${subjects.indexOf(subject)}`);
      return Promise.resolve(subject(running, round));
    },
  });
  assert.equal(running, undefined, 'a load that was not ended');
  return { events, figures };
}

const SLOWER = { quiet: 1, one: 1.5, two: 3, tsc: 2 };

describe('compareLoads', () => {
  it('measures beside each load in each round', async () => {
    const { events } = await compare(2, [() => times(1)]);
    assert.deepEqual(
      events,
      [...LOADS, ...LOADS].map((load) => `${load} 0`),
    );
  });

  it('gives medians and ratios to the quiet measurement of the same round', async () => {
    // The whole machine is half as fast in the third round.
    const pace = [0, 10, 12, 24];
    const { figures } = await compare(3, [(load, round) => times(SLOWER[load] * (pace[round] ?? 0))]);
    assert.deepEqual(figures.step.ms, { quiet: 12, one: 18, two: 36, tsc: 24 });
    for (const { overQuiet, overOther } of Object.values(figures)) {
      assert.deepEqual(overQuiet, SLOWER);
      assert.equal(overOther, undefined);
    }
  });

  it('takes two builds by turns, each first in every second round', async () => {
    const { events, figures } = await compare(2, [() => times(3), (load) => times(6 * SLOWER[load])]);
    assert.deepEqual(
      events.filter((event) => event.startsWith('one')),
      ['one 0', 'one 1', 'one 1', 'one 0'],
    );
    assert.deepEqual(figures.prefill.overOther, { quiet: 1 / 2, one: 1 / 3, two: 1 / 6, tsc: 1 / 4 });
    assert.deepEqual(figures.prefill.ms, { quiet: 300, one: 300, two: 300, tsc: 300 });
  });

  it('ends the load when measuring fails', async () => {
    let ended = 0;
    const failing = compareLoads({
      rounds: 1,
      subjects: [0],
      progress: () => undefined,
      startLoad: () =>
        Promise.resolve(() => {
          ended += 1;
          return Promise.resolve();
        }),
      measure: () => Promise.reject(new Error('gone')),
    });
    await assert.rejects(failing, /gone/);
    assert.equal(ended, 1);
  });
});
