// Formats the figures of a replay as text.
import { table } from '../../server/cli/table';
import { tableOf } from '../report';
import { CASE_NAMES, CASES } from './cases';
import type { Figures } from './figures';

export function renderFigures(report: Figures): string {
  const { cases } = report;
  const times = tableOf(CASES, {
    '': (name) => CASE_NAMES[name],
    count: (name) => String(cases[name].count),
    p50: (name) => fixed(cases[name].p50, 1),
    p95: (name) => fixed(cases[name].p95, 1),
    p99: (name) => fixed(cases[name].p99, 1),
    reused: (name) => percent(cases[name].reuseRate),
  });
  const accepted = `${String(report.acceptedCharacters)} characters in ${String(report.accepts)} accepts`;
  const work = table([
    ['requests', String(report.requests)],
    [
      'shown, nothing to show, cancelled',
      `${String(report.shown)}, ${String(report.nothing)}, ${String(report.cancelled)}`,
    ],
    [
      'suggestions, right ones',
      `${String(report.offered)}, ${String(report.right)} (${percent(report.rightRate)})`,
    ],
    ['typed', `${String(report.typedCharacters)} characters in ${report.seconds.toFixed(0)} s`],
    ['accepted', accepted],
    [
      'cancel to idle engine, p50 / p95',
      `${pair(report.cancelMsP50, report.cancelMsP95)} (${String(report.brokenOff)})`,
    ],
    ['engine time per typed character', `${fixed(report.engineMsPerCharacter, 1)} ms`],
    ['decodes, prefetches, generate runs', [report.decodes, report.prefetches, report.generates].join(', ')],
    ['prompt tokens reused', percent(report.reuseRate)],
  ]);
  return `Time to suggestion (ms)\n${times}\n\nWork\n${work}\n`;
}

function fixed(value: number | null, digits: number): string {
  return value === null ? '-' : value.toFixed(digits);
}

function pair(p50: number | null, p95: number | null): string {
  return `${fixed(p50, 1)} / ${fixed(p95, 1)} ms`;
}

function percent(share: number | null): string {
  return share === null ? '-' : `${(100 * share).toFixed(0)}%`;
}
