// What steps cost JavaScript, network by network, in one build or in two by turns.
import { median } from '../../server/rules/median';
import type { GraphBuild } from './graphBuild';
import type { Path, StepTimes } from './graphSteps';
import { NETWORKS, type NetworkName } from './networks';

export interface GraphFigures extends StepTimes {
  /** Calls into the addon. */
  readonly callsPerStep: number;
}

export interface NetworkFigures {
  readonly own: GraphFigures;
  readonly other: GraphFigures | undefined;
  /** Median over the rounds of building and freeing, relative to the other build in the same round. */
  readonly overOther: number | undefined;
}

export interface GraphComparison {
  /** Builds to measure by turns; the first is the one reported on. */
  readonly builds: readonly GraphBuild[];
  readonly rounds: number;
  readonly path: Path;
  /** Writes the checkpoint of a network and says where. */
  readonly checkpointOf: (network: NetworkName) => string;
  readonly progress: (text: string) => void;
}

/** Runs of some steps per round. */
const REPEATS = 3;

export async function compareGraphs(
  comparison: GraphComparison,
): Promise<Readonly<Record<NetworkName, NetworkFigures>>> {
  const measured: [NetworkName, NetworkFigures][] = [];
  for (const network of NETWORKS) {
    comparison.progress(`${network}, as a ${comparison.path.toUpperCase()} runs it`);
    measured.push([network, await compareNetwork(comparison.checkpointOf(network), comparison)]);
  }
  return Object.fromEntries(measured) as unknown as Readonly<Record<NetworkName, NetworkFigures>>;
}

async function compareNetwork(checkpoint: string, comparison: GraphComparison): Promise<NetworkFigures> {
  const { builds, rounds, path } = comparison;
  const calls: number[] = [];
  for (const build of builds) calls.push(await build.count(checkpoint, path));
  for (const build of builds) await build.load(checkpoint, path);
  const times: StepTimes[][] = builds.map(() => []);
  const inOrder = [...builds.entries()];
  for (let round = 0; round < rounds; round++) {
    // The order alternates.
    for (const [i, build] of round % 2 === 0 ? inOrder : inOrder.toReversed())
      times[i]?.push(await build.time(REPEATS));
  }
  for (const build of builds) await build.unload();
  const [own = NO_FIGURES, other] = times.map((each, i) => ({
    callsPerStep: calls[i] ?? NaN,
    buildMs: median(each.map(({ buildMs }) => buildMs)),
    freeMs: median(each.map(({ freeMs }) => freeMs)),
  }));
  return { own, other, overOther: other && ratioOf(times) };
}

const NO_FIGURES: GraphFigures = { callsPerStep: NaN, buildMs: NaN, freeMs: NaN };

function ratioOf([own = [], other = []]: readonly (readonly StepTimes[])[]): number {
  const whole = (step: StepTimes | undefined) => (step ? step.buildMs + step.freeMs : NaN);
  return median(own.map((step, round) => whole(step) / whole(other[round])));
}
