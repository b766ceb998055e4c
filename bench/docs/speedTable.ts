// Creates the table of speeds in README.md: Flashline and llama.cpp with the same model, from the last results of the
// benchmark `peers`.
import type { PeersReport } from '../peers/peersReport';
import { markdownTable } from './markdownTable';
import { readResult } from './resultText';

export function speedTable(): string {
  const { quiet } = readResult('peers') as PeersReport;
  return markdownTable([
    ['program', 'weights', 'in a new file', 'next key', 'tokens per second', 'memory'],
    ...quiet.map(({ name, weights, holeMs, keyMs, msPerToken, residentMb }) => [
      name,
      weights,
      `${holeMs.toFixed(0)} ms`,
      `${keyMs.toFixed(0)} ms`,
      (1000 / msPerToken).toFixed(0),
      `${residentMb.toFixed(0)} MB`,
    ]),
  ]);
}
