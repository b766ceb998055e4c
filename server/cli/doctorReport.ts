// The report of `flashline doctor` in Markdown, to read in a terminal and paste into an issue.
import type { ModeCheck, Verdict } from '../doctor/checkMode';
import type { Check, Examination } from '../doctor/examine';
import type { Measured } from '../doctor/measurements';
import { formatMs, formatRate, formatSize } from '../rules/formatNumber';
import { table } from './table';

export function renderReport(
  { verdict, nearTies, machine, seconds, checks }: Examination,
  measured?: Measured,
): string {
  const { flashline, nodeMlx, node, platform, system, processor, cores, memoryBytes, gpu } = machine;
  const architecture = gpu?.['architecture'];
  const workingSet = gpu?.['max_recommended_working_set_size'];
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
${problems.length > 0 ? `${problems.join('')}\n` : ''}${measured ? renderMeasured(measured) : ''}`;
}

/**
 * Renders the times of matrix products: a row per number of rows, a column per layer and bits. Adds the times of decode
 * steps by size of the command buffers, and of a mixture of experts.
 */
function renderMeasured({ kernels, steps, problems }: Measured): string {
  const columns = kernels?.layers ?? [];
  const rowCounts = [...new Set(columns.flatMap(({ ms }) => Object.keys(ms)))];
  const products = [
    ['rows', ...columns.map(({ layer, bits }) => `${layer}, ${String(bits)} bit`)],
    ...rowCounts.map((rows) => [rows, ...columns.map(({ ms }) => multiple(ms[rows], ms[1]))]),
  ];
  const stepAndMixtureRows = [
    ...steps.map(({ operations, ms }) => [
      `step, ${String(operations)} operations per buffer`,
      ms.map(formatMs).join(', '),
    ]),
    ...mixtureRow(kernels?.mixture),
  ];
  const isMeasured = columns.length > 0;
  return `
## Products of one layer
${isMeasured ? `\nMilliseconds by rows, and as a multiple of one row.\n\n${fenced(products)}\n` : ''}${stepAndMixtureRows.length > 0 ? `\n${fenced(stepAndMixtureRows)}\n` : ''}${problems.map((problem) => `\n- not measured: ${problem}\n`).join('')}`;
}

function multiple(ms: number | undefined, oneRowMs: number | undefined): string {
  return ms === undefined || oneRowMs === undefined
    ? 'no time'
    : `${ms.toFixed(2)} (${(ms / oneRowMs).toFixed(1)}x)`;
}

/** Returns the row of a mixture of experts, timed with one row and with those of a prompt; none without both times. */
function mixtureRow(ms: Readonly<Record<string, number>> = {}): string[][] {
  const rows = Math.max(...Object.keys(ms).map(Number));
  const one = ms[1];
  const prompt = ms[rows];
  if (one === undefined || prompt === undefined || rows === 1) return [];
  const gain = ((rows * one) / prompt).toFixed(1);
  return [
    [
      `experts of a layer, 1 and ${String(rows)} rows`,
      `${formatMs(one)}, ${formatMs(prompt)} (${gain}x as fast as row by row)`,
    ],
  ];
}

function fenced(rows: readonly (readonly string[])[]): string {
  return `\`\`\`text\n${table(rows).replace(/^ {2}/gm, '')}\n\`\`\``;
}

/** Returns a table with a row per figure and a column per mode. */
function figures(checks: readonly Check[]): string[][] {
  const row = (name: string, figure: (check: ModeCheck) => string): string[] => [
    name,
    ...checks.map((check) => ('problem' in check ? 'FAIL' : figure(check))),
  ];
  const verdictText = ({ verdict, largestGap }: ModeCheck['plain']) =>
    verdict === 'pass' ? verdict : `${shown(verdict)} (gap ${largestGap?.toPrecision(2) ?? 'not a number'})`;
  const rowCounts = [
    ...new Set(checks.flatMap((check) => ('problem' in check ? [] : Object.keys(check.measures.passMs)))),
  ];
  return [
    ['', ...checks.map(({ mode }) => mode)],
    row('texts', ({ plain }) => verdictText(plain)),
    row('texts, with drafts', ({ drafted }) => verdictText(drafted)),
    ...rowCounts.map((rows) =>
      row(rows === '1' ? 'step' : `verify ${rows} rows`, ({ measures }) => {
        const ms = measures.passMs[rows];
        return ms === undefined ? '-' : formatMs(ms);
      }),
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
