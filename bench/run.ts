// `node dist/bench/run.js NAME [options]`: runs benchmarks, and programs that write files of the repository. Benchmarks
// print a table and, as the last line, the same as JSON.
import { failureOf } from '../server/rules/failure';
import { WrongValue } from '../server/rules/userError';

interface Program {
  readonly HELP: string;
  readonly run: (args: string[]) => Promise<void> | void;
}

/** Programs by name, imported on demand, so that each loads only what it needs. */
const PROGRAMS: Readonly<Record<string, readonly [about: string, load: () => Promise<Program>]>> = {
  decode: ['measures the gain of speculation ("flashline bench")', () => import('./decode/bench')],
  holes: ['measures how good suggestions are', () => import('./holes/benchHoles')],
  infill: [
    'measures how many problems of a published benchmark are filled in correctly',
    () => import('./infill/benchInfill'),
  ],
  peers: ['compares Flashline with llama.cpp', () => import('./peers/benchPeers')],
  replay: [
    'measures how long suggestions take while a person types ("flashline replay")',
    () => import('./replay/replay'),
  ],
  nextEdit: ['measures how good suggestions of the next edit are', () => import('./nextEdit/benchNextEdit')],
  typing: ['measures how useful suggestions are while a person types', () => import('./typing/benchTyping')],
  start: ['measures how long the first suggestion takes', () => import('./start/benchStart')],
  charts: ['draws the charts in media/charts/ from bench/results/', () => import('./charts')],
  docs: ['writes the generated blocks of README.md and docs/', () => import('./docs/writePages')],
  goldens: ['writes the outputs that "flashline doctor" compares with', () => import('./goldens')],
};

const HELP = `node dist/bench/run.js NAME [options]; "--help" after a name shows its options

${Object.entries(PROGRAMS)
  .map(([name, [about]]) => `  ${name.padEnd(10)}${about}`)
  .join('\n')}`;

async function run([name = '', ...args]: string[]): Promise<void> {
  const haveHelp = (given: readonly string[]): boolean => given.some((arg) => ['--help', '-h'].includes(arg));
  if (name === '' || haveHelp([name])) return void process.stdout.write(`${HELP}\n`);
  const [, load] = Object.entries(PROGRAMS).find(([program]) => program === name)?.[1] ?? [];
  if (load === undefined)
    throw new WrongValue({
      expected: `one of ${Object.keys(PROGRAMS).join(', ')}`,
      got: `"${name}"`,
      remedy: 'name one of them',
    });
  const program = await load();
  if (haveHelp(args)) return void process.stdout.write(`${program.HELP}\n`);
  await program.run(args);
}

run(process.argv.slice(2)).catch((error: unknown) => {
  const { isInput, message } = failureOf(error);
  const text = !isInput && error instanceof Error ? (error.stack ?? message) : message;
  process.stderr.write(`bench ${process.argv[2] ?? ''}: ${text}\n`);
  process.exitCode = isInput ? 2 : 1;
});
