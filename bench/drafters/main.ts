// `npm run bench:drafters`: kinds of drafters for one target, as a table and, in the last line, as JSON.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { parseArguments, parseChoice, parseCount } from '../../server/cli/arguments';
import { Engine } from '../../server/engine/engine';
import { pairDirectories } from '../../server/hub/pairDirectories';
import { InputError } from '../../server/inputError';
import { usableModel } from '../../server/lsp/usableModel';
import { mediaPath } from '../../server/mediaPath';
import { benchPrompts } from '../decode/benchPrompts';
import { requireWritableFile } from '../writableFile';
import { compareDrafters, type Comparison } from './compareDrafters';
import { drafterBits } from './drafterBits';
import { draftersReport, renderDrafters, type BitsResults } from './draftersReport';
import { namedDrafters, type NamedDrafter } from './namedDrafters';
import { hasSelector, withoutSelector } from './withoutSelector';

const HELP = `npm run bench:drafters -- [options]

Compares drafters of one target: decodes the prompts of "flashline bench" plainly, with each drafter at several fixed
lengths and adaptively, and with looked-up drafts alone, by turns in one run after a warm-up. A drafter with a candidate
selector is also measured without it. Then counts the tokens per round of each drafter in 4, 8 and 16 bits. Prints
tables and, as its last line, JSON. Takes about 20 minutes.

  --drafter NAME=FOLDER a drafter to compare, under that name; may be given several times (default: the built-in DFlash
                        drafter, and the DSpark drafter for the built-in target in test/fixtures)
  --target DIR|NAME     their target (default: that of the built-in pair)
  --device cpu|gpu      processor (default: gpu if there is one)
  --json FILE           write the JSON to this file (default: bench/results/drafters.json)
  --prompts N           number of prompts, from the first on (default: 16)
  --repeats N           number of repeats (default: 5)
  --max-tokens N        tokens per prompt (default: 64)`;

const LOOKUPS = 'look-ups alone';
const PROMPTS = 16;

type Load = (drafter: NamedDrafter | undefined, bits?: number) => Promise<Engine>;

async function main(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return void process.stdout.write(`${HELP}\n`);
  const { values } = parseArguments({
    args,
    options: {
      drafter: { type: 'string', multiple: true },
      target: { type: 'string' },
      device: { type: 'string' },
      json: { type: 'string' },
      prompts: { type: 'string', default: String(PROMPTS) },
      repeats: { type: 'string', default: '5' },
      'max-tokens': { type: 'string', default: '64' },
    },
  });
  const count = (option: 'prompts' | 'repeats' | 'max-tokens', min: number, max: number): number =>
    parseCount(`--${option}`, values[option], { min, max });
  const extent = {
    prompts: count('prompts', 1, PROMPTS),
    repeats: count('repeats', 1, 1000),
    maxTokens: count('max-tokens', 2, 1000),
  };
  const device =
    values.device === undefined ? undefined : parseChoice('--device', values.device, ['cpu', 'gpu']);
  const named = namedDrafters(values.drafter);
  if (values.json !== undefined) requireWritableFile('--json', values.json);
  const { targetDirectory } = pairDirectories(values.target, 'none');
  const copies: string[] = [];
  try {
    const drafters = named.flatMap((drafter) => {
      if (!hasSelector(drafter.folder)) return [drafter];
      const folder = withoutSelector(drafter.folder);
      copies.push(folder);
      return [drafter, { name: `${drafter.name} without selector`, folder }];
    });
    const load: Load = (drafter, bits) =>
      Engine.load({ targetDirectory, drafterDirectory: drafter?.folder, drafterBits: bits, device });
    const [loadBefore = NaN] = loadavg();
    const { prompts, comparison } = await compare(load, drafters, extent);
    const bits = await compareBits(load, drafters, prompts, extent.maxTokens);
    const circumstances = {
      target: values.target === undefined ? 'built-in' : basename(values.target),
      ...extent,
      prompts: prompts.length,
      loadBefore,
    };
    const report = draftersReport(circumstances, comparison, bits);
    const json = JSON.stringify(report);
    const file = values.json ?? mediaPath('../bench/results/drafters.json');
    mkdirSync(dirname(resolve(file)), { recursive: true });
    writeFileSync(file, `${json}\n`);
    process.stdout.write(`${renderDrafters(report)}\n${json}\n`);
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  }
}

interface Extent {
  readonly prompts: number;
  readonly repeats: number;
  readonly maxTokens: number;
}

async function compare(
  load: Load,
  drafters: readonly NamedDrafter[],
  { prompts: most, repeats, maxTokens }: Extent,
): Promise<{ prompts: number[][]; comparison: Comparison }> {
  const contestants: { name: string; engine: Engine }[] = [];
  try {
    for (const drafter of [...drafters, undefined]) {
      const name = drafter?.name ?? LOOKUPS;
      progress(`loading ${name}`);
      contestants.push({ name, engine: await load(drafter) });
    }
    const last = contestants.at(-1);
    if (last === undefined) throw new Error('Expected at least look-ups, got nothing');
    const { layout } = usableModel('', { engine: last.engine, target: '', drafter: undefined });
    const prompts = benchPrompts(last.engine, maxTokens, layout).slice(0, most);
    const comparison = await compareDrafters({ contestants, prompts, maxTokens, repeats, progress });
    return { prompts, comparison };
  } finally {
    for (const { engine } of contestants) await engine.dispose();
  }
}

async function compareBits(
  load: Load,
  drafters: readonly NamedDrafter[],
  prompts: readonly (readonly number[])[],
  maxTokens: number,
): Promise<BitsResults> {
  const results: Record<string, BitsResults[string]> = {};
  for (const drafter of drafters) {
    progress(`other bits: ${drafter.name}`);
    results[drafter.name] = await drafterBits({ load: (bits) => load(drafter, bits), prompts, maxTokens });
  }
  return results;
}

/** Written immediately. */
function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const known = error instanceof InputError;
  const text = known ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`bench:drafters: ${text ?? ''}\n`);
  process.exitCode = known ? 2 : 1;
});
