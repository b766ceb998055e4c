// `npm run faults`: kills processes at random points and lets machines fail, and tells which promises did not hold.
import { markdownTable } from '../../../bench/docs/markdownTable';
import { parseArguments, parseCount, interruptSignal } from '../../../server/cli/arguments';
import { killExtensionHosts } from './editorKills';
import { killAtRandom, type Kill } from './faults';
import { sufferAll } from './machineFaults';

const HELP = `npm run faults -- [options]

Kills the server, the process of a window and VS Code's extension host at random points of their states, and after each
kill asserts that nothing typed is lost, that the next suggestion is the one known before, that downloads resume, and
that no process, socket, lock or half-written file is left. Then lets the machine fail: full disks, folders without
permission, wrong clocks, too few files, too little memory. Ends with exit code 1 if a promise did not hold.

  --kills N             kills of servers and windows (default: 100)
  --host-kills N        kills of the extension host of one VS Code window (default: 10)
  --seed N              seed of the points (default: 1)
  --no-machine          without the faults of the machine`;

export async function main(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return void process.stdout.write(`${HELP}\n`);
  const { values } = parseArguments({
    args,
    options: {
      kills: { type: 'string', default: '100' },
      'host-kills': { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      'no-machine': { type: 'boolean', default: false },
    },
  });
  const range = { min: 0, max: 100_000 };
  const seed = parseCount('--seed', values.seed, range);
  const signal = interruptSignal();
  const onKill = ({ what, problem }: Kill): void => {
    process.stderr.write(`${what}: ${problem === undefined ? 'survived' : explained(problem)}\n`);
  };
  const options = { seed, signal, onKill };
  const done = [
    ...(await killAtRandom({ ...options, kills: parseCount('--kills', values.kills, range) })),
    ...(await killExtensionHosts({
      ...options,
      kills: parseCount('--host-kills', values['host-kills'], range),
    })),
  ];
  process.stdout.write(`${killTable(done)}\n`);
  const faults = values['no-machine'] ? [] : await sufferAll();
  const rows = faults.map(({ name, words, problem, skipped }) => [
    name,
    skipped === undefined ? words : `not tried: ${skipped}`,
    problem === undefined ? '' : explained(problem),
  ]);
  if (rows.length > 0) process.stdout.write(`${markdownTable([['Fault', 'Words', 'Problem'], ...rows])}\n`);
  if ([...done, ...faults].some(({ problem }) => problem !== undefined)) process.exitCode = 1;
}

function killTable(kills: readonly Kill[]): string {
  const states = [...new Set(kills.map(({ what }) => what))];
  const rows = states.map((state) => {
    const own = kills.filter(({ what }) => what === state);
    return [state, String(own.length), String(own.filter(({ problem }) => problem === undefined).length)];
  });
  return markdownTable([['Killed', 'times', 'survived'], ...rows]);
}

function explained(problem: unknown): string {
  return problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
}
