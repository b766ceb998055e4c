// npm run fuzz -- [--minutes N] [--inputs N] [--seed S] [--kind NAME ...]: tries inputs of all kinds, or of those
// named, and ends with a table and a line of JSON. Exits with 1 after a defect, of which it prints the smallest input.
import { parseArgs, inspect } from 'node:util';
import type { AnyKind } from './kind';
import { kinds } from './kinds';
import { runKind, type KindReport } from './runKind';

const MILLION = 1e6;
const USUAL = { minutes: '10', seed: '1' } as const;

interface Wanted {
  readonly chosen: readonly AnyKind[];
  readonly seed: number;
  /** All kinds together; the limit is then their counts, not the time. */
  readonly inputs: number | undefined;
  readonly minutes: number;
}

function wantedOf(args: string[]): Wanted {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: { minutes: text, inputs: text, seed: text, kind: { type: 'string', multiple: true } },
  });
  const named = values.kind ?? kinds.map(({ name }) => name);
  const chosen = kinds.filter(({ name }) => named.includes(name));
  const unknown = named.find((name) => !kinds.some((kind) => kind.name === name));
  if (unknown !== undefined)
    throw new RangeError(
      `Expected --kind to be ${kinds.map(({ name }) => name).join(', ')}, got ${unknown}; choose one`,
    );
  return {
    chosen,
    seed: positive('seed', values.seed ?? USUAL.seed),
    inputs: values.inputs === undefined ? undefined : positive('inputs', values.inputs),
    minutes: positive('minutes', values.minutes ?? USUAL.minutes),
  };
}

function positive(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new RangeError(`Expected --${option} to be a whole number above 0, got ${text}; correct it`);
}

/** Each kind gets its part of the inputs, or the same time as the others. */
async function runAll({ chosen, seed, inputs, minutes }: Wanted): Promise<KindReport[]> {
  const whole = chosen.reduce((sum, { counts }) => sum + counts.million, 0);
  const reports: KindReport[] = [];
  for (const kind of chosen) {
    const options =
      inputs === undefined
        ? { seed, runs: MILLION, limitMs: (minutes * 60_000) / chosen.length }
        : { seed, runs: Math.max(1, Math.round((inputs * kind.counts.million) / whole)) };
    const report = await runKind(kind, options);
    reports.push(report);
    console.log(lineOf(report));
    if (report.defect) tell(report, report.defect);
  }
  return reports;
}

function lineOf({ kind, seed, inputs, seconds, growth: { heap, resident }, defect }: KindReport): string {
  const growth = [heap, resident].map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`.padStart(9)).join('');
  const outcome = defect === undefined ? 'no defect' : 'DEFECT';
  return `${kind.padEnd(18)} seed ${String(seed)}  ${String(inputs).padStart(8)} inputs  ${seconds.toFixed(0).padStart(5)} s  ${growth}  ${outcome}`;
}

function tell({ kind, seed, inputs }: KindReport, { input, error }: NonNullable<KindReport['defect']>): void {
  console.log(
    `  input: ${inspect(input, { depth: 12, maxStringLength: 4000 })}\n  ${error.replaceAll('\n', '\n  ')}`,
  );
  console.log(
    `  again: npm run fuzz -- --kind ${kind} --seed ${String(seed)} --inputs ${String(inputs + 1)}`,
  );
}

async function main(): Promise<void> {
  const reports = await runAll(wantedOf(process.argv.slice(2)));
  const inputs = reports.reduce((sum, report) => sum + report.inputs, 0);
  const defects = reports.filter(({ defect }) => defect !== undefined).map(({ kind }) => kind);
  console.log(
    JSON.stringify({
      inputs,
      defects,
      kinds: reports.map(({ kind, seed, inputs, seconds, growth, defect }) => ({
        kind,
        seed,
        inputs,
        seconds,
        growthBytes: growth,
        isSound: !defect,
      })),
    }),
  );
  if (defects.length > 0) process.exitCode = 1;
}

void main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
