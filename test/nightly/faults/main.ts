// `npm run faults`: kills processes at random points and simulates machine failures, and reports broken promises.
import { parseArguments, parseCount } from '../../../server/cli/arguments';
import { interruptSignal } from '../../../server/cli/interruptSignal';
import { killExtensionHosts } from './editorKills';
import { killAtRandom, type Kill } from './faults';
import { MACHINE_FAULTS, simulateFault } from './machineFaults';

const HELP = `npm run faults -- [options]

Kills the server, the process of a window and VS Code's extension host at random points of their states, and after each
kill asserts that nothing typed is lost, that the next suggestion is that of an undisturbed server, that downloads
resume, and that no process, socket, lock or half-written file is left. Then lets the machine fail: full disks, folders
without permission, wrong clocks, too few files, too little memory. Ends with exit code 1 if a promise did not hold.

  --kills N             kills of servers and windows (default: 100)
  --host-kills N        kills of extension hosts, each in a new VS Code window (default: 10)
  --seed N              seed of the points (default: 1)
  --no-machine          leave out the failures of the machine`;

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
  const count = (option: 'kills' | 'host-kills' | 'seed'): number =>
    parseCount(`--${option}`, values[option], { min: 0, max: 100_000 });
  const onKill = ({ what, problem }: Kill): void => report(what, 'survived', problem);
  const options = { seed: count('seed'), signal: interruptSignal(), onKill };
  await killAtRandom({ ...options, kills: count('kills') });
  await killExtensionHosts({ ...options, kills: count('host-kills') });
  for (const fault of values['no-machine'] ? [] : MACHINE_FAULTS) {
    const { name, message, problem, skipped } = await simulateFault(fault);
    report(name, skipped === undefined ? message : `not tried: ${skipped}`, problem);
  }
}

function report(what: string, outcome: string, problem: unknown): void {
  if (problem !== undefined) process.exitCode = 1;
  const failure = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
  console.log(`${what}: ${problem === undefined ? outcome : failure}`);
}
