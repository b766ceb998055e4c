// `flashline doctor`: checks and times models on this machine, and prints a report for an issue.
import type { ModeCheck } from '../doctor/checkMode';
import { examine, type Addon } from '../doctor/examine';
import { mediaPath } from '../machine/folders';
import { visibleJson, visibleText } from '../rules/visibleText';
import { measureMachine } from '../doctor/measurements';
import { processAsker, type Question } from '../doctor/tasks';
import { parseArguments, parseChoice } from './arguments';
import { renderReport } from './doctorReport';

export const DOCTOR_HELP = `flashline doctor [options]

Checks this machine: generates texts with the built-in pair, on the CPU and in both number types on the GPU if there is
one, with and without drafts, and compares them with known ones. Measures decode steps, the time in JavaScript for each,
prefill and matrix products of 1 to 33 rows, and on a GPU also command buffers and the prompt of a mixture of experts.
Prints a report for an issue, which names the processor, the system and the versions, but no paths, no user and no host
name. Takes less than a minute. Exits with 1 if something is wrong.

  --json                print the report as JSON
  --device cpu|gpu      check only this processor (default: all available)`;

/** Argument that makes this program answer the question after it, as JSON, and exit. */
const ANSWER = '--answer';

/** Time limit of checks and measurements together, as the help promises. Only measurements are cut short. */
const TOTAL_MS = 50_000;

export async function doctor(args: string[]): Promise<void> {
  const [first, question] = args;
  if (first === ANSWER && question !== undefined) {
    process.stdout.write(JSON.stringify(await answer(JSON.parse(question) as Question)));
    return;
  }
  const { values } = parseArguments({
    args,
    options: { json: { type: 'boolean', default: false }, device: { type: 'string' } },
  });
  // Exiting also ends the process of a running check.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const startedAt = performance.now();
  const progress = (line: string): void => void process.stderr.write(`${visibleText(line)}\n`);
  const ask = processAsker(mediaPath('../dist/cli.js'), ['doctor', ANSWER]);
  const device =
    values.device === undefined ? undefined : parseChoice('--device', values.device, ['cpu', 'gpu']);
  const found = await examine({ device, progress, ask });
  const measured = await measureMachine({
    // Without --device, a machine with a GPU is timed on it: models run there, so CPU times would add nothing.
    device: found.machine.gpu === null ? 'cpu' : (device ?? 'gpu'),
    budgetMs: Math.max(0, TOTAL_MS - (performance.now() - startedAt)),
    progress,
    ask,
  });
  process.stdout.write(
    values.json ? `${visibleJson({ ...found, measured })}\n` : visibleText(renderReport(found, measured)),
  );
  if (found.verdict === 'failed') process.exitCode = 1;
}

/** Answers a question. Imports the native addon here, so that its failure ends only this process. */
async function answer(question: Question): Promise<unknown> {
  if (question !== 'addon') {
    const { checkMode, plainStepMs } = await import('../doctor/checkMode');
    if (!('measure' in question)) return (await checkMode(question)) satisfies ModeCheck;
    if (question.measure === 'step') return await plainStepMs('gpu');
    const { timeKernels } = await import('../doctor/kernels');
    return await timeKernels(question.device, { budgetMs: question.budgetMs });
  }
  const { addonVersion, gpuFacts, hasGpu } = await import('../models/mlx/binding');
  return { version: addonVersion(), gpu: hasGpu ? (gpuFacts() ?? {}) : null } satisfies Addon;
}
