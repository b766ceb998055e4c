// `flashline doctor`: whether models give correct results on this machine, and what that costs, as a report for an issue.
import type { Mode, ModeCheck, Verdict } from '../doctor/checkMode';
import { examine, processOf, type Addon, type Check, type Examination } from '../doctor/examine';
import { mediaPath, version } from '../machine/folders';
import { formatMs, formatRate, formatSize } from '../rules/numbers';
import { visibleJson, visibleText } from '../rules/inputError';
import { parseArguments, parseChoice } from './arguments';
import { table } from './statsTable';

export const DOCTOR_HELP = `flashline doctor [options]

Checks this machine: computes known texts with the built-in pair, on the CPU and on the GPU if there is one, there in
each number type, with and without drafts. Measures what steps, prefill and JavaScript take. Prints a report for an issue,
which names the processor, the system and the versions, but no paths, no user and no machine. Takes less than a minute.
Exits with 1 if something is wrong.

  --json                print the report as JSON
  --device cpu|gpu      check only this processor (default: all available)`;

/** What this program is called with to be the process of one check. */
const ANSWER = '--answer';

export async function doctor(args: string[]): Promise<void> {
  const [first, question] = args;
  if (first === ANSWER && question !== undefined) {
    process.stdout.write(JSON.stringify(await answer(JSON.parse(question) as 'addon' | Mode)));
    return;
  }
  const { values } = parseArguments({
    args,
    options: { json: { type: 'boolean', default: false }, device: { type: 'string' } },
  });
  // So that a check ends with whoever cancels this program.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const found = await examine({
    version: version(),
    device: values.device === undefined ? undefined : parseChoice('--device', values.device, ['cpu', 'gpu']),
    progress: (line) => void process.stderr.write(`${visibleText(line)}\n`),
    ask: processOf(mediaPath('../dist/cli.js'), ['doctor', ANSWER]),
  });
  process.stdout.write(values.json ? `${visibleJson(found)}\n` : visibleText(renderReport(found)));
  if (found.verdict === 'failed') process.exitCode = 1;
}

/** Loads the native addon here, so that a failure is an answer. */
async function answer(question: 'addon' | Mode): Promise<Addon | ModeCheck> {
  if (question !== 'addon') return await (await import('../doctor/checkMode')).checkMode(question);
  const { addonVersion, gpuFacts, hasGpu } = await import('../models/mlx/binding');
  return { version: addonVersion(), gpu: hasGpu ? (gpuFacts() ?? {}) : null };
}

/** Markdown that can be read in a terminal and pasted into an issue. */
export function renderReport({ verdict, nearTies, machine, seconds, checks }: Examination): string {
  const { flashline, nodeMlx, node, platform, system, processor, cores, memoryBytes, gpu } = machine;
  const [architecture, workingSet] = [gpu?.['architecture'], gpu?.['max_recommended_working_set_size']];
  const set = typeof workingSet === 'number' ? `, working set ${formatSize(workingSet)}` : '';
  const gpuName = typeof architecture === 'string' ? architecture : 'yes';
  const problems = checks.flatMap((check) =>
    'problem' in check ? [`\n- ${check.mode}: ${check.problem}`] : [],
  );
  return `# Flashline doctor: ${verdict}

${fenced([
  ['Flashline', `${flashline}, node-mlx ${nodeMlx}, Node.js ${node}, ${platform}`],
  ['System', system],
  ['Processor', `${processor}, ${String(cores)} cores, ${formatSize(memoryBytes)}`],
  ['GPU', gpu ? `${gpuName}${set}` : 'none'],
  ['Time', `${String(seconds)} s`],
])}

Tokens that the built-in pair chooses, with and without drafts, against the right ones. A near tie is another token that
is as probable, as far as rounding can tell: the gap is below ${String(nearTies.float32)} in float32, ${String(nearTies.bfloat16)} in bfloat16. A step is a pass of one
row.

${fenced(figures(checks))}
${problems.length > 0 ? `${problems.join('')}\n` : ''}`;
}

function fenced(rows: readonly (readonly string[])[]): string {
  return `\`\`\`text\n${table(rows).replace(/^ {2}/gm, '')}\n\`\`\``;
}

/** A row per figure, a column per mode. */
function figures(checks: readonly Check[]): string[][] {
  const row = (name: string, figure: (check: ModeCheck) => string): string[] => [
    name,
    ...checks.map((check) => ('problem' in check ? 'FAIL' : figure(check))),
  ];
  const gap = ({ verdict, largestGap }: ModeCheck['plain']) =>
    verdict === 'pass' ? verdict : `${shown(verdict)} (gap ${largestGap.toPrecision(2)})`;
  const widths = [
    ...new Set(checks.flatMap((check) => ('problem' in check ? [] : Object.keys(check.measures.passMs)))),
  ];
  return [
    ['', ...checks.map(({ mode }) => mode)],
    row('texts', ({ plain }) => gap(plain)),
    row('texts, with drafts', ({ drafted }) => gap(drafted)),
    ...widths.map((rows) =>
      row(rows === '1' ? 'step' : `verify ${rows} rows`, ({ measures }) =>
        formatMs(measures.passMs[rows] ?? NaN),
      ),
    ),
    row('of a step: building the graph', ({ measures }) => formatMs(measures.buildMs)),
    row('prefill', ({ measures }) => `${formatRate(measures.prefillTokensPerSecond)} tok/s`),
    row('plain decoding', ({ measures }) => `${formatRate(measures.plainTokensPerSecond)} tok/s`),
    row('with drafts', ({ measures }) => `${formatRate(measures.draftedTokensPerSecond)} tok/s`),
  ];
}

function shown(verdict: Verdict): string {
  return verdict === 'fail' ? 'FAIL' : verdict;
}
