// The table of README.md: Flashline beside llama.cpp with the same weights, from the last `peers`.
import type { PeersReport } from '../peers/peersReport';
import { markdownTable } from './markdownTable';
import { readResult } from './resultText';

export function speedTable(): string {
  const { peers } = readResult('peers') as PeersReport;
  return markdownTable([
    ['program', 'weights', 'tokens per second', 'times plain decoding', 'memory'],
    ...peers.map(({ name, weights, msPerToken, speed, peakMb }) => [
      name,
      weights,
      (1000 / msPerToken).toFixed(0),
      speed.toFixed(2),
      `${peakMb.toFixed(0)} MB`,
    ]),
  ]);
}
