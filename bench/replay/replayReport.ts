// The figures of a replay as text.
import { table } from '../../server/cli/statsTable';
import { CASES, type Case } from './cases';
import type { Figures } from './figures';
import { isLossless, type Losslessness } from './lossless';

export const CASE_NAMES: Readonly<Record<Case, string>> = {
  typedThrough: 'typed through',
  afterAccept: 'after accepting',
  coldFile: 'cold file',
  warmSingleLine: 'warm, single line',
  warmMultiLine: 'warm, multi-line',
  recalled: 'recalled',
};

/** Results that were stored before these were measured lack them. */
type Newer = Partial<Pick<Figures, 'firstLines' | 'firstLineOverWhole' | 'offered' | 'right' | 'rightRate'>>;

export type ReplayReport = Omit<Figures, keyof Newer> &
  Newer & {
    readonly debounceMs: number;
    readonly lossless?: Losslessness;
  };

export function renderFigures(report: ReplayReport): string {
  const { cases, withoutDebounce, debounceMs } = report;
  const waits = debounceMs > 0;
  const times = table([
    ['', 'count', 'p50', 'p95', 'p99', ...(waits ? ['p50 without debounce'] : []), 'reused'],
    ...CASES.map((name) => {
      const { count, p50, p95, p99, reuseRate } = cases[name];
      const own = waits ? [fixed(withoutDebounce[name].p50, 1)] : [];
      return [
        CASE_NAMES[name],
        String(count),
        ...[p50, p95, p99].map((ms) => fixed(ms, 1)),
        ...own,
        percent(reuseRate),
      ];
    }),
  ]);
  const accepted = `${String(report.acceptedCharacters)} characters in ${String(report.accepts)} accepts`;
  const work = table([
    ['requests', String(report.requests)],
    [
      'shown, nothing to show, cancelled',
      `${String(report.shown)}, ${String(report.nothing)}, ${String(report.cancelled)}`,
    ],
    ...offerRows(report),
    ...firstLineRows(report),
    ['typed', `${String(report.typedCharacters)} characters in ${report.seconds.toFixed(0)} s`],
    ['accepted', accepted],
    [
      'cancel to idle engine, p50 / p95',
      `${fixed(report.cancelMsP50, 1)} / ${fixed(report.cancelMsP95, 1)} ms (${String(report.brokenOff)})`,
    ],
    ['wait for the engine, p50 / p95', `${fixed(report.waitMsP50, 1)} / ${fixed(report.waitMsP95, 1)} ms`],
    [
      'outside the engine, p50 / p95',
      `${fixed(report.outsideEngineMsP50, 1)} / ${fixed(report.outsideEngineMsP95, 1)} ms`,
    ],
    ['engine time per typed character', `${fixed(report.engineMsPerCharacter, 1)} ms`],
    ['the same without prefetches', `${fixed(report.engineMsPerCharacterWithoutPrefetch, 1)} ms`],
    ['decodes, prefetches, generate runs', [report.decodes, report.prefetches, report.generates].join(', ')],
    ['prompt tokens reused', percent(report.reuseRate)],
    ['tokens to read, cold / warm', fixed(report.coldOverWarmPrefill, 2)],
    ['p50 warm single line / cold', fixed(report.warmOverCold, 2)],
  ]);
  return `Time to suggestion (ms)\n${times}\n\nWork\n${work}\n${verification(report.lossless)}`;
}

function offerRows({ offered, right, rightRate = null }: Newer): string[][] {
  if (offered === undefined || right === undefined) return [];
  return [['suggestions, right ones', `${String(offered)}, ${String(right)} (${percent(rightRate)})`]];
}

function firstLineRows({ firstLines, firstLineOverWhole = null }: Newer): string[][] {
  if (firstLines === undefined) return [];
  const { count, p50, p95 } = firstLines;
  return [
    ['first line of several, p50 / p95', `${fixed(p50, 1)} / ${fixed(p95, 1)} ms (${String(count)})`],
    ['the same over the whole', fixed(firstLineOverWhole, 2)],
  ];
}

function verification(lossless: Losslessness | undefined): string {
  if (lossless === undefined) return '';
  const { requests, equal, nearTies, different, tokens, tiedTokens } = lossless;
  const tooMany = different === 0 && !isLossless(lossless) ? ', too many to be rounding' : '';
  const rows = [
    ['decodes', String(requests)],
    ['equal', String(equal)],
    ['different in near-ties only', String(nearTies)],
    ['different', String(different)],
    ['near-ties', `${String(tiedTokens)} of ${String(tokens)} tokens${tooMany}`],
  ];
  return `\nCompared with the target alone (the times above are from a server in this process)\n${table(rows)}\n`;
}

function fixed(value: number | null, digits: number): string {
  return value === null ? '-' : value.toFixed(digits);
}

function percent(share: number | null): string {
  return share === null ? '-' : `${(100 * share).toFixed(0)}%`;
}
