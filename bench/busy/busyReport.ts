// The figures of a busy machine with the circumstances of the run, as JSON and as text.
import { table } from '../../server/cli/statsTable';
import { WORK, type Figures, type LoadFigures } from './compareLoads';
import { LOADS, type LoadName } from './load';
import { benchMachine } from '../benchMachine';

export type BusyReport = ReturnType<typeof busyReport>;

const NAMES: Readonly<Record<(typeof WORK)[number], string>> = {
  prefill: 'prefill of 512 tokens',
  step: 'plain step',
  verify: 'verify of 8 rows',
  suggestion: 'suggestion over LSP',
};

const BESIDE: Readonly<Record<LoadName, string>> = {
  quiet: 'quiet',
  one: 'one endless process',
  two: 'two endless processes',
  tsc: 'tsc in a loop',
};

/** The JSON of a run. */
export function busyReport(rounds: number, figures: LoadFigures) {
  const { prefill, step, verify, suggestion } = figures;
  return {
    prefillOverQuiet: withoutQuiet(prefill.overQuiet),
    stepOverQuiet: withoutQuiet(step.overQuiet),
    verifyOverQuiet: withoutQuiet(verify.overQuiet),
    suggestionOverQuiet: withoutQuiet(suggestion.overQuiet),
    rounds,
    ...benchMachine(),
    figures,
  };
}

function withoutQuiet({ one, two, tsc }: Figures): Omit<Figures, 'quiet'> {
  return { one, two, tsc };
}

export function renderBusy({ rounds, cores, figures }: BusyReport): string {
  const heads = LOADS.map((load) => BESIDE[load]);
  const rows = WORK.map((work) => {
    const { ms, overQuiet } = figures[work];
    const cells = LOADS.map((load) =>
      load === 'quiet' ? milliseconds(ms[load]) : `${milliseconds(ms[load])} (${times(overQuiet[load])})`,
    );
    return [NAMES[work], ...cells];
  });
  const head = `With other work running (${String(cores)} cores, ${String(rounds)} rounds; in brackets: relative to quiet)`;
  return [head, table([['', ...heads], ...rows]), ...renderOther(figures, heads), ''].join('\n');
}

function renderOther(figures: LoadFigures, heads: readonly string[]): string[] {
  const rows = WORK.flatMap((work) => {
    const { overOther } = figures[work];
    return overOther ? [[NAMES[work], ...LOADS.map((load) => times(overOther[load]))]] : [];
  });
  return rows.length > 0 ? ['\nRelative to the other build', table([['', ...heads], ...rows])] : [];
}

const milliseconds = (ms: number): string => `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
const times = (ratio: number): string => `${ratio.toFixed(2)} x`;
