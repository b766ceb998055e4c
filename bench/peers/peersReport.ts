// The report of a comparison with the circumstances of the run, as JSON and as text.
import { benchMachine } from '../benchMachine';
import { tableOf } from '../report';
import type { PeerResult } from './comparePeers';

export interface Circumstances {
  /** Version that llama-server reports. */
  readonly llamaServer: string;
  /** Threads of llama-server. */
  readonly threads: number;
  readonly prompts: number;
  readonly places: number;
  readonly maxTokens: number;
  readonly repeats: number;
  /** Load average of the last minute before the first request: well below 1 on an idle machine. */
  readonly loadBefore: number;
}

/** Results on a quiet machine, and next to an endless process. */
export interface Comparisons {
  readonly quiet: readonly PeerResult[];
  readonly busy: readonly PeerResult[];
}

export type PeersReport = ReturnType<typeof peersReport>;

/** Returns the JSON of a run. */
export function peersReport(circumstances: Circumstances, comparisons: Comparisons) {
  return { ...circumstances, ...benchMachine(), ...comparisons };
}

export function renderPeers(report: PeersReport): string {
  const { quiet, busy } = report;
  const counts = [
    `${String(report.places)} holes`,
    `${String(report.prompts)} prompts of ${String(report.maxTokens)} tokens`,
    `${String(report.repeats)} repeats`,
    `${String(report.threads)} threads of llama-server`,
  ].join(', ');
  const versions = `llama-server ${report.llamaServer}; Node ${report.node}, ${report.platform}`;
  return [
    `Peers over HTTP (${counts})`,
    rows(quiet, report.prompts),
    '',
    'Beside a process that never ends',
    rows(busy, report.prompts),
    '',
    `  Speed and outputs relative to ${quiet[0]?.name ?? ''}. ${versions}; load average before the run: ${report.loadBefore.toFixed(1)}.`,
    '',
  ].join('\n');
}

function rows(results: readonly PeerResult[], prompts: number): string {
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  return tableOf(results, {
    peer: ({ name }) => name,
    weights: ({ weights }) => weights,
    hole: ({ holeMs }) => ms(holeMs),
    key: ({ keyMs }) => ms(keyMs),
    'first token': ({ firstTokenMs }) => ms(firstTokenMs),
    'ms/token': ({ msPerToken }) => msPerToken.toFixed(2),
    speed: ({ speed }) => speed.toFixed(2),
    memory: ({ residentMb }) => `${residentMb.toFixed(0)} MB`,
    'same outputs': ({ samePrompts }) => `${String(samePrompts)} of ${String(prompts)}`,
  });
}
