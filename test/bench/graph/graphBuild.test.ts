// Steps of all three networks are built, freed, timed and counted in processes of their own, and the number of native
// calls, which does not depend on the machine, stays as small as it is.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { writeRandomCheckpoint } from '../../../bench/families/randomCheckpoint';
import { compareGraphs } from '../../../bench/graph/compareGraphs';
import { GraphBuild } from '../../../bench/graph/graphBuild';
import { PATHS, type Path } from '../../../bench/graph/graphSteps';
import { NETWORKS, packedNetwork, type NetworkName } from '../../../bench/graph/networks';
import { temporaryFolder } from '../../support/temporaryFolder';

/** For 36 layers; before layers were compiled and arrays collected, 2115 to 5715. */
const MOST_CALLS: Readonly<Record<Path, Readonly<Record<NetworkName, number>>>> = {
  gpu: { dense: 450, mixture: 450, hybrid: 450 },
  cpu: { dense: 1200, mixture: 2000, hybrid: 3500 },
};

describe('graphs of steps', () => {
  const folders = Object.fromEntries(NETWORKS.map((name) => [name, temporaryFolder()]));
  const checkpointOf = (name: NetworkName) => folders[name] ?? assert.fail(name);
  let build: GraphBuild;
  before(() => {
    for (const name of NETWORKS) writeRandomCheckpoint(checkpointOf(name), packedNetwork(name));
    build = new GraphBuild(join(__dirname, '../../../bench/graph/worker.js'));
  });
  after(() => build.end());

  for (const path of PATHS)
    it(`cost few native calls, as on a ${path.toUpperCase()}`, async () => {
      const progressed: string[] = [];
      const figures = await compareGraphs({
        builds: [build],
        rounds: 1,
        path,
        checkpointOf,
        progress: (text) => void progressed.push(text),
      });
      assert.equal(progressed.length, NETWORKS.length);
      for (const name of NETWORKS) {
        const { own, other, overOther } = figures[name];
        assert.equal(other ?? overOther, undefined);
        assert.ok(own.buildMs > 0 && own.freeMs > 0, JSON.stringify(own));
        assert.ok(own.callsPerStep <= MOST_CALLS[path][name], `${name}: ${String(own.callsPerStep)}`);
        assert.ok(own.callsPerStep > 36, `${name}: ${String(own.callsPerStep)}`);
      }
    });
});
