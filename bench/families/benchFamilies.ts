// `node dist/bench/run.js families`: what steps of other architectures cost, as a table and, in the last line, as JSON.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArguments, parseCount } from '../../server/cli/arguments';
import { requireWritableFile } from '../writableFile';
import { selectDevice } from '../../server/models/mlx/device';
import { mediaPath } from '../../server/machine/mediaPath';
import { compareFamilies } from './compareFamilies';
import { DENSE, FAMILIES } from './families';
import { familiesReport, renderFamilies } from './familiesReport';

export const HELP = `node dist/bench/run.js families [options]

Compares model families. Times steps of 1, 4 and 16 rows in networks with random weights, each alternating with a dense
network that reads as many weights per token. Prints a table and, as its last line, JSON. Takes less than a minute.

  --json FILE           write the JSON to this file (default: bench/results/families.json)
  --repeats N           number of steps of each kind (default: 15)`;

export async function benchFamilies(args: string[]): Promise<void> {
  const { values } = parseArguments({
    args,
    options: { json: { type: 'string' }, repeats: { type: 'string', default: '15' } },
  });
  const repeats = parseCount('--repeats', values.repeats, { min: 1, max: 1000 });
  if (values.json !== undefined) requireWritableFile('--json', values.json);
  const progress = (text: string): void => void process.stderr.write(`${text}\n`);
  const device = selectDevice();
  const report = familiesReport(
    repeats,
    await compareFamilies({ dense: DENSE, families: FAMILIES, repeats, device, progress }),
  );
  const json = JSON.stringify(report);
  const file = values.json ?? mediaPath('../bench/results/families.json');
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, `${json}\n`);
  process.stdout.write(`${renderFamilies(report)}\n${json}\n`);
}
