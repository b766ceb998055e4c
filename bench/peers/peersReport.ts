// The figures of a comparison with the circumstances of the run, as JSON and as text.
import { PREFILL_TOKENS } from '../decode/prefillSpeed';
import { table } from '../../server/cli/statsTable';
import type { PeerResult } from './comparePeers';
import { benchMachine } from '../benchMachine';

export interface Circumstances {
  /** Versions of node-llama-cpp and of llama.cpp in it. */
  readonly nodeLlamaCpp: string;
  readonly llamaCpp: string;
  readonly threads: number;
  readonly prompts: number;
  readonly maxTokens: number;
  readonly repeats: number;
  /** Load average of the last minute before the first request: well below 1 on an idle machine. */
  readonly loadBefore: number;
}

export type PeersReport = ReturnType<typeof peersReport>;

/** The JSON of a run. */
export function peersReport(circumstances: Circumstances, peers: readonly PeerResult[]) {
  return {
    ...circumstances,
    ...benchMachine(),
    prefillTokens: PREFILL_TOKENS,
    peers,
  };
}

export function renderPeers(report: PeersReport): string {
  const { prompts, maxTokens, repeats, threads, peers } = report;
  const rows = table([
    [
      'peer',
      'weights',
      'ms/token',
      'speed',
      'first token',
      'prefill',
      'memory',
      'same outputs',
      'same tokens',
    ],
    ...peers.map((peer) => [
      peer.name,
      peer.weights,
      peer.msPerToken.toFixed(2),
      peer.speed.toFixed(2),
      `${peer.firstTokenMs.toFixed(0)} ms`,
      `${peer.prefillTokensPerSecond.toFixed(0)} tok/s`,
      `${peer.peakMb.toFixed(0)} MB`,
      `${String(peer.samePrompts)} of ${String(prompts)}`,
      `${String(peer.sameTokens)} of ${String(peer.tokens)}`,
    ]),
  ]);
  const counts = `${String(prompts)} prompts, ${String(maxTokens)} tokens each, ${String(repeats)} repeats, ${String(threads)} threads`;
  const versions = `llama.cpp ${report.llamaCpp} in node-llama-cpp ${report.nodeLlamaCpp}; Node ${report.node}, ${report.platform}`;
  const first = peers[0]?.name ?? '';
  return `Peers (${counts})\n${rows}\n\n  Speed and outputs relative to ${first}. ${versions}; load average before the run: ${report.loadBefore.toFixed(1)}.\n`;
}
