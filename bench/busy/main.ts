// `npm run bench:busy`: how much other work on the machine slows Flashline down, as a table and, in the last line, as
// JSON.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArguments, parseCount } from '../../server/cli/arguments';
import { requireWritableFile } from '../writableFile';
import { InputError } from '../../server/inputError';
import { mediaPath } from '../../server/mediaPath';
import { busyReport, renderBusy } from './busyReport';
import { compareLoads } from './compareLoads';
import { startLoad } from './load';
import { Subject } from './subject';

const HELP = `npm run bench:busy -- [options]

Measures what other work on the machine costs. Times the built-in pair on a quiet machine, next to one and two endless
processes, and next to tsc in a loop, in turns: prefill (reading a prompt) of 512 tokens, a plain step, a verify pass of
8 rows, and a suggestion from the language server for a file that it has not seen. Prints a table and, as its last line,
JSON. Takes about two minutes.

  --json FILE           write the JSON to this file (default: bench/results/busy.json)
  --rounds N            number of rounds; use at least 5 for figures worth quoting (default: 5)
  --against DIR         also measure another build of this repository, in the folder DIR, in turns with this one`;

async function main(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return void process.stdout.write(`${HELP}\n`);
  const { values } = parseArguments({
    args,
    options: {
      json: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      against: { type: 'string' },
    },
  });
  const rounds = parseCount('--rounds', values.rounds, { min: 1, max: 1000 });
  if (values.json !== undefined) requireWritableFile('--json', values.json);
  const here = mediaPath('..');
  const folders = [here, ...(values.against === undefined ? [] : [requireBuild(values.against)])];
  const subjects: Subject[] = [];
  try {
    for (const folder of folders) subjects.push(await Subject.start(folder));
    const figures = await compareLoads({
      rounds,
      subjects,
      measure: (subject) => subject.measure(),
      startLoad: (name) => startLoad(name, here),
      progress: (text) => void process.stderr.write(`${text}\n`),
    });
    report(rounds, figures, values.json ?? mediaPath('../bench/results/busy.json'));
  } finally {
    await Promise.all(subjects.map((subject) => subject.end()));
  }
}

function report(rounds: number, figures: Awaited<ReturnType<typeof compareLoads>>, file: string): void {
  const measured = busyReport(rounds, figures);
  const json = JSON.stringify(measured);
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, `${json}\n`);
  process.stdout.write(`${renderBusy(measured)}\n${json}\n`);
}

function requireBuild(folder: string): string {
  const program = join(folder, 'dist/bench/busyWorker.js');
  if (existsSync(program)) return folder;
  throw new InputError({
    expected: 'a built folder of this repository for --against',
    got: folder,
    remedy: `run "npm run setup" there to build ${program}`,
  });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const known = error instanceof InputError;
  const text = known ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`bench:busy: ${text ?? ''}\n`);
  process.exitCode = known ? 2 : 1;
});
