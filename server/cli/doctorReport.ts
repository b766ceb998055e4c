// The report of `flashline doctor`: Markdown that can be read in a terminal and pasted into an issue.
import { nearTieGap } from '../rules/nearTieGap';
import type { DeviceMeasures, Examination, Machine, ModeCheck } from '../doctor/examine';
import type { Finding } from '../doctor/finding';
import type { Measures } from '../doctor/measure';
import { modeName } from '../doctor/modes';
import { formatMs, formatRate, formatSize } from '../rules/format';
import { table } from './statsTable';

type Verdict = 'passed' | 'passed, with near ties' | 'failed';

export function verdictOf({ checks, measures }: Examination): Verdict {
  const verdicts = checks.flatMap(({ plain, drafted }) => [plain.verdict, drafted.verdict]);
  if (verdicts.includes('fail') || measures.some((each) => problemOf(each) !== undefined)) return 'failed';
  return verdicts.includes('near tie') ? 'passed, with near ties' : 'passed';
}

const NEAR_TIES = { float32: nearTieGap('float32'), bfloat16: nearTieGap('bfloat16') };

/** The JSON of a report. */
export function reportFields(found: Examination) {
  return { verdict: verdictOf(found), nearTies: NEAR_TIES, ...found };
}

export function renderReport(found: Examination): string {
  const { machine, seconds, checks, measures } = found;
  const details = [...checks.flatMap(differences), ...measures.flatMap(measureProblem)];
  return `# Flashline doctor: ${verdictOf(found)}

${fenced(machineRows(machine, seconds))}

## Texts

Tokens that the built-in pair chooses, with and without drafts, against the right ones. A near tie is another token whose
logit is as large, as far as rounding can tell: the gap is below ${String(NEAR_TIES.float32)} in float32, ${String(NEAR_TIES.bfloat16)} in bfloat16.

${fenced(checkRows(checks))}
${details.length > 0 ? `\n${details.map((line) => `- ${line}`).join('\n')}\n` : ''}
## Costs

Of the built-in pair. A step is a pass of one row.

${fenced(measureRows(measures))}
`;
}

function fenced(rows: readonly (readonly string[])[]): string {
  return `\`\`\`text\n${table(rows).replace(/^ {2}/gm, '')}\n\`\`\``;
}

function machineRows(machine: Machine, seconds: number): string[][] {
  const { flashline, nodeMlx, node, platform, system, processor, cores, memoryBytes, gpu } = machine;
  const [architecture, workingSet] = [gpu?.['architecture'], gpu?.['max_recommended_working_set_size']];
  const set = typeof workingSet === 'number' ? `, working set ${formatSize(workingSet)}` : '';
  const gpuName = typeof architecture === 'string' ? architecture : 'yes';
  return [
    ['Flashline', `${flashline}, node-mlx ${nodeMlx}, Node.js ${node}, ${platform}`],
    ['System', system],
    ['Processor', `${processor}, ${String(cores)} cores, ${formatSize(memoryBytes)}`],
    ['GPU', gpu ? `${gpuName}${set}` : 'none'],
    ['Time', `${String(seconds)} s`],
  ];
}

/** A row per network, a column per mode. */
function checkRows(checks: readonly ModeCheck[]): string[][] {
  const modes = [...new Set(checks.map(({ mode }) => modeName(mode)))];
  const networks = [...new Set(checks.map(({ network }) => network))];
  const inMode = (name: string) => checks.filter(({ mode }) => modeName(mode) === name);
  const rows = networks.map((network) => [
    network,
    ...modes.map((mode) => cell(inMode(mode).find((check) => check.network === network))),
  ]);
  return [['', ...modes], ...rows];
}

function cell(check: ModeCheck | undefined): string {
  if (check === undefined) return '';
  const [plain, drafted] = [check.plain.verdict, check.drafted.verdict].map((verdict) =>
    verdict === 'fail' ? 'FAIL' : verdict,
  );
  return plain === drafted ? (plain ?? '') : `${plain ?? ''}, drafts ${drafted ?? ''}`;
}

function differences({ mode, network, plain, drafted }: ModeCheck): string[] {
  const where = `${modeName(mode)}, ${network}`;
  if (plain.problem !== undefined && plain.problem === drafted.problem) return [`${where}: ${plain.problem}`];
  return [...difference(where, plain), ...difference(`${where}, with drafts`, drafted)];
}

function difference(where: string, { verdict, problem, different, compared, largestGap }: Finding): string[] {
  if (verdict === 'pass') return [];
  const tokens = `${String(different)} of ${String(compared)} tokens differ, at gaps of up to ${largestGap.toPrecision(2)}`;
  return [`${where}: ${problem ?? tokens}${verdict === 'fail' ? ' (FAIL)' : ''}`];
}

function problemOf(measures: DeviceMeasures): string | undefined {
  if ('problem' in measures) return measures.problem;
  const { leftArrays } = measures;
  return leftArrays > 0 ? `${String(leftArrays)} arrays stay in memory after decodes` : undefined;
}

function measureProblem(measures: DeviceMeasures): string[] {
  const problem = problemOf(measures);
  return problem === undefined ? [] : [`measuring the ${measures.device.toUpperCase()}: ${problem}`];
}

/** A row per figure, a column per device. */
function measureRows(all: readonly DeviceMeasures[]): string[][] {
  const row = (name: string, figure: (measures: Measures) => string): string[] => [
    name,
    ...all.map((each) => ('problem' in each ? '-' : figure(each))),
  ];
  const widths = all.flatMap((each) => ('problem' in each ? [] : Object.keys(each.passMs)));
  return [
    ['', ...all.map(({ device }) => device.toUpperCase())],
    ...[...new Set(widths)].map((rows) =>
      row(rows === '1' ? 'step' : `verify ${rows} rows`, ({ passMs }) => formatMs(passMs[rows] ?? NaN)),
    ),
    row('of a step: building the graph', ({ buildMs }) => formatMs(buildMs)),
    row('of a step: freeing it', ({ freeMs }) => formatMs(freeMs)),
    row('prefill', ({ prefillTokensPerSecond }) => `${formatRate(prefillTokensPerSecond)} tok/s`),
    row('plain decoding', ({ plainTokensPerSecond }) => `${formatRate(plainTokensPerSecond)} tok/s`),
    row('with drafts', ({ draftedTokensPerSecond }) => `${formatRate(draftedTokensPerSecond)} tok/s`),
    row('longest block of the event loop', ({ longestBlockMs }) => formatMs(longestBlockMs)),
    row('memory kept by more short decodes', ({ growthBytes }) => formatSize(Math.max(0, growthBytes))),
  ];
}
