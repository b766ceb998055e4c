// A few of the faults of npm run faults: kills at random points, and all faults of the machine.
import assert from 'node:assert/strict';
import { fullSize } from '../../support/fullSize';
import { DEEDS, killAtRandom } from './faults';
import { MACHINE_FAULTS, sufferAll } from './machineFaults';

const KILLS = fullSize ? 3 * DEEDS.length : 4;

describe('faults', () => {
  it('of processes, killed at random points, cost nobody anything', async () => {
    const kills = await killAtRandom({ kills: KILLS, seed: 2 });
    assert.equal(kills.length, KILLS);
    for (const { what, problem } of kills) assert.ifError(problem && new Error(what, { cause: problem }));
  });

  for (const fault of MACHINE_FAULTS)
    it(`of the machine: ${fault.name}`, async function () {
      const [suffered] = await sufferAll([fault]);
      if (suffered?.skipped !== undefined) {
        console.log(`      ${suffered.skipped}`);
        this.skip();
      }
      assert.ifError(suffered?.problem);
    });
});
