// `flashline doctor`: whether models give correct results on this machine, and what that costs, as a report for an issue.
import { doctorWorker } from '../doctor/doctorWorker';
import { DoctorProcess } from '../doctor/doctorProcess';
import { examine } from '../doctor/examine';
import { mediaPath } from '../machine/mediaPath';
import { parseArguments, parseChoice } from './arguments';
import { renderReport, reportFields, verdictOf } from './doctorReport';
import { version } from '../machine/version';
import { visibleText } from '../rules/visibleText';

export const DOCTOR_HELP = `flashline doctor [options]

Checks this machine: computes known texts with the built-in pair, on the CPU and on the GPU if there is one, in each
number type, with packed and expanded weights, with and without drafts. Measures what steps, prefill and JavaScript
take. Prints a report for an issue, which names the processor, the system and the versions, but no paths, no user and no
machine. Takes about a minute. Exits with 1 if something is wrong.

  --json                print the report as JSON
  --device cpu|gpu      check only this processor (default: all that there are)`;

/** What this program is called with to be the process of the checks. */
const WORKER = '--worker';

export async function doctor(args: string[]): Promise<void> {
  if (args[0] === WORKER) {
    doctorWorker();
    return;
  }
  const { values } = parseArguments({
    args,
    options: { json: { type: 'boolean', default: false }, device: { type: 'string' } },
  });
  const device =
    values.device === undefined ? undefined : parseChoice('--device', values.device, ['cpu', 'gpu']);
  const worker = new DoctorProcess(mediaPath('../dist/cli.js'), ['doctor', WORKER]);
  process.once('exit', () => worker.end());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const progress = (line: string): void => void process.stderr.write(`${visibleText(line)}\n`);
  const found = await examine({ version: version(), device, process: worker, progress }).finally(() =>
    worker.end(),
  );
  process.stdout.write(values.json ? `${JSON.stringify(reportFields(found))}\n` : renderReport(found));
  if (verdictOf(found) === 'failed') process.exitCode = 1;
}
