// Tests some kills of `npm run faults` and its machine failures: all of them nightly, otherwise two.
import assert from 'node:assert/strict';
import { fullSize } from '../../support/fullSize';
import { KILL_KINDS, killAtRandom } from './faults';
import { MACHINE_FAULTS, simulateFault } from './machineFaults';

const KILLS = fullSize ? 3 * KILL_KINDS.length : 2;
/** Faults outside the nightly run. test/socket/sharedServer.test.ts and test/cli/main.test.ts cover some others. */
const SAMPLE = ['the disk of the downloads is full', 'its own cache is read-only'];
const FAULTS = MACHINE_FAULTS.filter(([name]) => fullSize || SAMPLE.includes(name));

describe('injected faults', () => {
  it('lose nothing when processes are killed at random points', async () => {
    const kills = await killAtRandom({ kills: KILLS, seed: 2 });
    assert.equal(kills.length, KILLS);
    for (const { what, problem } of kills) assert.ifError(problem && new Error(what, { cause: problem }));
  });

  for (const fault of FAULTS)
    it(`are survived or explained: ${fault[0]}`, async function () {
      const { skipped, problem } = await simulateFault(fault);
      if (skipped !== undefined) {
        console.log(`      ${skipped}`);
        this.skip();
      }
      assert.ifError(problem);
    });
});
