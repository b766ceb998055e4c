// `node dist/bench/run.js start`: measures how long an editor waits for its first suggestion; prints a table and, as
// the last line, JSON.
import { readFileSync } from 'node:fs';
import { parseArguments, parseCount } from '../../server/cli/arguments';
import { readSourceLocation } from '../../server/cli/sourceLocation';
import { mediaPath } from '../../server/machine/folders';
import { printReport, requireWritable, say } from '../report';
import { measureStart, type MeasuredStart } from './measureStart';
import { renderStart, startReport } from './startReport';

export const HELP = `node dist/bench/run.js start [options]

Measures how long an editor waits for its first suggestion. Starts "flashline lsp" with an empty cache folder, opens a
bundled example and requests a suggestion: the time from spawning the process to the suggestion. Then waits until the
models have left memory, types and asks again: the time from the key press to the suggestion. Prints medians, the parts
of each time and, as its last line, JSON.

  --json FILE           also write the JSON to this file
  --runs N              number of starts, each with a new process (default: 5)`;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArguments({
    args,
    options: { json: { type: 'string' }, runs: { type: 'string', default: '5' } },
  });
  const runs = parseCount('--runs', values.runs, { min: 1, max: 1000 });
  requireWritable(values.json);
  const [example = ''] = JSON.parse(readFileSync(mediaPath('examples/places.json'), 'utf8')) as string[];
  const starts: MeasuredStart[] = [];
  while (starts.length < runs) {
    const start = await measureStart(readSourceLocation(mediaPath(`examples/${example}`)));
    starts.push(start);
    const times = [start.first, start.reloaded].map(({ ms }) => ms.toFixed(0));
    say(`${String(starts.length)}/${String(runs)} ${times.join(', ')} ms`);
  }
  const report = startReport(example, starts);
  printReport(renderStart(report), report, values.json);
}
