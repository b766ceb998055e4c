// npm run fuzz -- [--minutes N] [--inputs N] [--seed S] [--kind NAME ...]: tries inputs of all or the named kinds, and
// prints a line for each. After a defect it prints the smallest input and exits with 1.
import { inspect } from 'node:util';
import { parseArguments, parseChoice, parseCount } from '../../../server/cli/arguments';
import { kinds } from './kinds';
import { runKind, type KindReport } from './runKind';
import { SubjectProcess } from './subjectProcess';

const MILLION = 1e6;

export async function main(args: string[]): Promise<void> {
  try {
    await tryKinds(args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/** Tries inputs of each kind: the same number for all, or for the same time. */
async function tryKinds(args: string[]): Promise<void> {
  const { values } = parseArguments({
    args,
    options: {
      minutes: { type: 'string', default: '10' },
      inputs: { type: 'string' },
      seed: { type: 'string', default: '1' },
      kind: { type: 'string', multiple: true, default: kinds.map(({ name }) => name) },
    },
  });
  const count = (option: string, text: string): number => parseCount(option, text, { min: 1, max: 1e9 });
  const names = kinds.map(({ name }) => name);
  const chosen = values.kind.map((name) => parseChoice('--kind', name, names));
  const seed = count('--seed', values.seed);
  const limitMs = (count('--minutes', values.minutes) * 60_000) / chosen.length;
  const amount =
    values.inputs === undefined ? { runs: MILLION, limitMs } : { runs: count('--inputs', values.inputs) };
  const subject = new SubjectProcess();
  try {
    for (const kind of kinds.filter(({ name }) => chosen.includes(name))) {
      const report = await runKind(kind, { seed, ...amount }, subject);
      console.log(reportOf(kind.name, seed, report));
      if (report.defect) process.exitCode = 1;
    }
  } finally {
    subject.end();
  }
}

function reportOf(kind: string, seed: number, { inputs, seconds, growth, defect }: KindReport): string {
  // A run that ends by its time limit has not measured its memory.
  const grown = growth && [growth.heap, growth.resident].map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`);
  const held = grown === undefined ? '' : `, ${grown.join(' and ')} more held`;
  const line = `${kind.padEnd(18)} ${inputs} inputs, ${seconds.toFixed(0)} s${held}`;
  if (defect === undefined) return `${line}: no defect`;
  const input = inspect(defect.input, { depth: 12, maxStringLength: 4000 });
  const again = `npm run fuzz -- --kind ${kind} --seed ${seed} --inputs ${inputs + 1}`;
  return `${line}: DEFECT\n  input: ${input}\n  ${defect.error.replaceAll('\n', '\n  ')}\n  again: ${again}`;
}
