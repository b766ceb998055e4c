// The figures of graphs with the circumstances of the run, as JSON and as text.
import { table } from '../../server/cli/statsTable';
import { benchMachine } from '../benchMachine';
import type { GraphFigures, NetworkFigures } from './compareGraphs';
import type { Path } from './graphSteps';
import { LAYERS, NETWORKS, type NetworkName } from './networks';

export type GraphReport = ReturnType<typeof graphReport>;

/** By path, then by network. */
export type MeasuredGraphs = Readonly<Record<Path, Readonly<Record<NetworkName, NetworkFigures>>>>;

/** The JSON of a run. The networks at the top are as a GPU runs them. */
export function graphReport(rounds: number, { gpu, cpu }: MeasuredGraphs) {
  return { ...networksOf(gpu), onCpu: networksOf(cpu), layers: LAYERS, rounds, ...benchMachine() };
}

interface ReportedNetwork extends GraphFigures {
  /** Of another build, and building and freeing relative to it. */
  readonly against?: GraphFigures;
  readonly overOther?: number;
}

function networksOf(figures: MeasuredGraphs[Path]): Readonly<Record<NetworkName, ReportedNetwork>> {
  const reported = ({ own, other, overOther }: NetworkFigures): ReportedNetwork => ({
    ...own,
    ...(other && overOther !== undefined && { against: other, overOther }),
  });
  return {
    dense: reported(figures.dense),
    mixture: reported(figures.mixture),
    hybrid: reported(figures.hybrid),
  };
}

export function renderGraphs(report: GraphReport): string {
  const { layers, rounds, onCpu } = report;
  const rows = [
    ...NETWORKS.map((name) => rowOf(`${name}, as on a GPU`, report[name])),
    ...NETWORKS.map((name) => rowOf(`${name}, as on a CPU`, onCpu[name])),
  ];
  const head = ['', 'native calls', 'build', 'free', 'in the other build', 'time relative to it'];
  const width = report.dense.against ? head.length : head.length - 2;
  const lines = table([head, ...rows].map((row) => row.slice(0, width)));
  return `What a plain step of ${String(layers)} layers costs JavaScript (${String(rounds)} rounds)\n${lines}\n`;
}

function rowOf(name: string, { against, overOther, ...own }: ReportedNetwork): string[] {
  const times = ({ buildMs, freeMs }: GraphFigures) => [buildMs, freeMs].map((ms) => `${ms.toFixed(2)} ms`);
  const before = against ? `${String(against.callsPerStep)} calls, ${times(against).join(' + ')}` : '';
  return [name, String(own.callsPerStep), ...times(own), before, `${(overOther ?? NaN).toFixed(2)} x`];
}
