// `npm run bench:graph`: what building and freeing the graph of a step costs JavaScript, as a table and, in the last
// line, as JSON.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArguments, parseCount } from '../../server/cli/arguments';
import { InputError } from '../../server/inputError';
import { mediaPath } from '../../server/mediaPath';
import { writeRandomCheckpoint } from '../families/randomCheckpoint';
import { requireWritableFile } from '../writableFile';
import { compareGraphs } from './compareGraphs';
import { GraphBuild, workerOf } from './graphBuild';
import { graphReport, renderGraphs } from './graphReport';
import { packedNetwork, type NetworkName } from './networks';

const HELP = `npm run bench:graph -- [options]

Measures what a plain decoding step costs JavaScript. Builds and frees steps of a dense network, a mixture of experts
and a hybrid, of 36 layers each and so narrow that arithmetic takes next to no time: as a GPU runs them (packed weights,
compiled functions; the graph is built but not computed), and as a CPU runs them. Prints native calls and milliseconds
per step and, as its last line, JSON. Takes about a minute.

  --json FILE           also write the JSON to this file
  --rounds N            number of rounds, of 12 steps each (default: 9)
  --against DIR         also measure another build of this repository, in the folder DIR, in turns with this one`;

async function main(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return void process.stdout.write(`${HELP}\n`);
  const { values } = parseArguments({
    args,
    options: {
      json: { type: 'string' },
      rounds: { type: 'string', default: '9' },
      against: { type: 'string' },
    },
  });
  const rounds = parseCount('--rounds', values.rounds, { min: 1, max: 1000 });
  if (values.json !== undefined) requireWritableFile('--json', values.json);
  const folders = [mediaPath('..'), ...(values.against === undefined ? [] : [requireBuild(values.against)])];
  const report = graphReport(rounds, await measure(folders, rounds));
  const json = JSON.stringify(report);
  if (values.json !== undefined) writeFileSync(values.json, `${json}\n`);
  process.stdout.write(`${renderGraphs(report)}\n${json}\n`);
}

async function measure(folders: readonly string[], rounds: number) {
  const checkpoints = mkdtempSync(join(tmpdir(), 'flashline-graph-'));
  const builds = folders.map((folder) => new GraphBuild(workerOf(folder)));
  const checkpointOf = (network: NetworkName): string => {
    const checkpoint = join(checkpoints, network);
    if (!existsSync(checkpoint)) {
      mkdirSync(checkpoint);
      writeRandomCheckpoint(checkpoint, packedNetwork(network));
    }
    return checkpoint;
  };
  const progress = (text: string): void => void process.stderr.write(`${text}\n`);
  try {
    const comparison = { builds, rounds, checkpointOf, progress };
    const gpu = await compareGraphs({ ...comparison, path: 'gpu' });
    return { gpu, cpu: await compareGraphs({ ...comparison, path: 'cpu' }) };
  } finally {
    for (const build of builds) build.end();
    rmSync(checkpoints, { recursive: true, force: true });
  }
}

function requireBuild(folder: string): string {
  if (existsSync(workerOf(folder))) return folder;
  throw new InputError({
    expected: 'a built folder of this repository for --against',
    got: folder,
    remedy: `run "npm run setup" there to build ${workerOf(folder)}`,
  });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const known = error instanceof InputError;
  const text = known ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`bench:graph: ${text ?? ''}\n`);
  process.exitCode = known ? 2 : 1;
});
