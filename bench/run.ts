// `node dist/bench/run.js NAME [options]`: every program that measures, and what writes files of the repository. Each
// prints a table and, as its last line, the same as JSON.
import { InputError } from '../server/rules/inputError';

interface Program {
  readonly help: string;
  readonly run: (args: string[]) => Promise<void> | void;
}

/** Loaded when they are asked for: most load the native addon. */
const PROGRAMS: Readonly<Record<string, () => Promise<Program>>> = {
  decode: async () => {
    const { bench, BENCH_HELP } = await import('./decode/bench');
    return { help: BENCH_HELP, run: bench };
  },
  holes: async () => {
    const { benchHoles, HELP } = await import('./holes/benchHoles');
    return { help: HELP, run: benchHoles };
  },
  infill: async () => {
    const { benchInfill, HELP } = await import('./infill/benchInfill');
    return { help: HELP, run: benchInfill };
  },
  peers: async () => {
    const { benchPeers, HELP } = await import('./peers/benchPeers');
    return { help: HELP, run: benchPeers };
  },
  replay: async () => {
    const { replay } = await import('./replay/replay');
    const { REPLAY_HELP } = await import('./replay/replayArguments');
    return { help: REPLAY_HELP, run: replay };
  },
  typing: async () => {
    const { benchTyping, HELP } = await import('./typing/benchTyping');
    return { help: HELP, run: benchTyping };
  },
  start: async () => {
    const { benchStart, HELP } = await import('./start/benchStart');
    return { help: HELP, run: benchStart };
  },
  charts: async () => {
    const { drawCharts } = await import('./charts');
    return { help: 'Draws the charts in media/charts/ from bench/results/.', run: drawCharts };
  },
  docs: async () => {
    const { writePages } = await import('./docs/writePages');
    return { help: 'Writes the generated blocks of README.md and docs/.', run: writePages };
  },
  goldens: async () => {
    const { writeGoldens } = await import('./goldens/writeGoldens');
    return { help: 'Writes media/doctor/goldens.json from test/fixtures/.', run: writeGoldens };
  },
};

const HELP = `node dist/bench/run.js NAME [options]; "--help" after a name tells its options

  decode    what speculation gains ("flashline bench")
  holes     how good suggestions are
  infill    how many problems of a published benchmark are filled in
  peers     Flashline beside llama.cpp
  replay    how long suggestions take while a person types ("flashline replay")
  typing    what suggestions are worth while a person types
  start     how long the first suggestion takes
  charts    draws the charts
  docs      writes the generated blocks of the pages
  goldens   writes what "flashline doctor" compares with`;

async function run([name = '', ...args]: string[]): Promise<void> {
  if (['', '--help', '-h'].includes(name)) return void process.stdout.write(`${HELP}\n`);
  const program = Object.hasOwn(PROGRAMS, name) ? await PROGRAMS[name]?.() : undefined;
  if (program === undefined)
    throw new InputError({
      expected: `one of ${Object.keys(PROGRAMS).join(', ')}`,
      got: `"${name}"`,
      remedy: 'name one of them',
    });
  const wantsHelp = args.includes('--help') || args.includes('-h');
  if (wantsHelp) return void process.stdout.write(`${program.help}\n`);
  await program.run(args);
}

const words = process.argv.slice(2);
run(words).catch((error: unknown) => {
  const { message, isExpected } = told(error);
  process.stderr.write(`bench ${words[0] ?? ''}: ${message}\n`);
  process.exitCode = isExpected ? 2 : 1;
});

function told(error: unknown): { readonly message: string; readonly isExpected: boolean } {
  if (error instanceof InputError) return { message: error.message, isExpected: true };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message, isExpected: false };
}
