// `flashline bench`: what speculation gains on this machine, as a table and, in the last line, as JSON.
import { writeFileSync } from 'node:fs';
import type { Engine } from '../../server/engine/engine';
import { SEEDS, type SamplingOptions } from '../../server/engine/request/sampling';
import { InputError } from '../../server/rules/inputError';
import { usableModel } from '../../server/hosting/usableModel';
import {
  loadPair,
  pairHelp,
  PAIR_OPTIONS,
  parseArguments,
  parseCount,
  parsePair,
} from '../../server/cli/arguments';
import {
  samplingArguments,
  SAMPLING_HELP,
  SAMPLING_OPTIONS,
  usesChance,
} from '../../server/cli/samplingArguments';
import { requireWritableFile } from '../writableFile';
import { keepCoresBusy } from '../benchMachine';
import { benchPrompts } from './benchPrompts';

interface Extent {
  /** How many, from the first on. */
  readonly prompts: number;
  readonly maxTokens: number;
  readonly repeats: number;
}

const USUAL: Extent = { prompts: Infinity, maxTokens: 24, repeats: 3 };
const QUICK: Extent = { prompts: 4, maxTokens: 16, repeats: 2 };

export const BENCH_HELP = `flashline bench [options]

Compares plain and speculative decoding: decodes 16 prompts plainly, with several draft lengths and adaptively,
interleaved in one run after a warm-up, and times single steps. The prompts are 8 places in bundled files, each with the
text after the cursor, as in the editor, and without it. Reports progress on stderr; prints a table and, as its last
line, JSON. Takes two to three minutes on two otherwise idle cores.

  --json FILE           also write the JSON to this file
  --repeats N           number of repeats; use more for figures worth quoting (default: ${String(USUAL.repeats)})
  --max-tokens N        tokens per prompt (default: ${String(USUAL.maxTokens)})
  --busy N              measure beside N processes that never end (default: 0)
  --quick               get a first impression in half a minute: ${String(QUICK.prompts)} prompts, ${String(QUICK.maxTokens)} tokens, ${String(QUICK.repeats)} repeats${pairHelp('full')}

With --draft-length N, only that fixed length is measured.
With --temperature X above 0, tokens are drawn, both plainly and with drafts. Each prompt has the same seed at all
lengths (default: 1, counted up from prompt to prompt). The cost of the sampler is measured instead of the other steps.
${SAMPLING_HELP}`;

const DRAFT_LENGTHS = [3, 5, 7, 11];

interface Run {
  readonly prompts: readonly (readonly number[])[];
  readonly draftLengths: readonly number[];
  readonly maxTokens: number;
  readonly repeats: number;
}

export async function bench(args: string[]): Promise<void> {
  const { values } = parseArguments({
    args,
    options: {
      ...PAIR_OPTIONS,
      ...SAMPLING_OPTIONS,
      json: { type: 'string' },
      repeats: { type: 'string' },
      'max-tokens': { type: 'string' },
      busy: { type: 'string', default: '0' },
      quick: { type: 'boolean', default: false },
    },
  });
  const pair = parsePair(values);
  const sampling = requireChance(samplingArguments(values));
  const usual = values.quick ? QUICK : USUAL;
  const count = (option: 'repeats' | 'max-tokens', min: number, byDefault: number): number =>
    parseCount(`--${option}`, values[option] ?? String(byDefault), { min, max: 1000 });
  const repeats = count('repeats', 1, usual.repeats);
  const maxTokens = count('max-tokens', 2, usual.maxTokens);
  const busy = parseCount('--busy', values.busy, { min: 0, max: 64 });
  if (values.json !== undefined) requireWritableFile('--json', values.json);
  keepCoresBusy(busy);
  say('loading the models');
  const engine = await loadPair(pair);
  const draftLengths = lengthsToMeasure(engine.maxDraftTokens, values['draft-length'] && pair.draftLength);
  const { layout } = usableModel('', { engine, target: '', drafter: undefined });
  const prompts = benchPrompts(engine, maxTokens, layout).slice(0, usual.prompts);
  const run = { prompts, draftLengths, maxTokens, repeats };
  const { text, report } = sampling
    ? await sampledBench(engine, run, { ...sampling, seed: sampling.seed ?? 1 })
    : await greedyBench(engine, run);
  const json = JSON.stringify(report);
  if (values.json !== undefined) writeFileSync(values.json, `${json}\n`);
  process.stdout.write(`${text}\n${json}\n`);
}

/** Undefined without options of sampling. Throws InputError for options that would measure nothing. */
function requireChance(sampling: SamplingOptions): SamplingOptions | undefined {
  const isSilent = Object.keys(sampling).every((name) => name === 'temperature');
  if (usesChance(sampling)) return sampling;
  if (isSilent) return undefined;
  throw new InputError({
    expected: '--temperature above 0 with other sampling options',
    got: String(sampling.temperature ?? 'none'),
    remedy: 'give one, such as 0.7, or leave them out',
  });
}

// The modules of both load the native addon, like the engine, so they are not imported at the top of the file.
async function greedyBench(engine: Engine, run: Run) {
  const { decodeBench } = await import('./decodeBench');
  const { prefillSpeed, PREFILL_TOKENS } = await import('./prefillSpeed');
  const { verifyCost } = await import('./verifyCost');
  const { benchReport, renderReport } = await import('./decodeReport');
  const { prompts, maxTokens, repeats } = run;
  const decoded = await decodeBench(engine, { ...run, progress: say });
  say('timing steps of each width');
  const verify = await verifyCost(engine.target, longest(prompts), repeats);
  say(`timing prefill of ${String(PREFILL_TOKENS)} tokens`);
  const prefillTokensPerSecond = await prefillSpeed(engine, longest(prompts), repeats);
  const report = benchReport({
    decoded,
    verify,
    prefillTokensPerSecond,
    prompts: prompts.length,
    maxTokens,
    repeats,
  });
  return { report, text: renderReport(report) };
}

async function sampledBench(engine: Engine, run: Run, sampling: SamplingOptions & { readonly seed: number }) {
  const { decodeBench } = await import('./decodeBench');
  const { samplerCost } = await import('./samplerCost');
  const { sampledReport, renderSampledReport } = await import('./sampledReport');
  const { prompts, maxTokens, repeats } = run;
  const samplings = prompts.map((_, i) => ({ ...sampling, seed: (sampling.seed + i) % SEEDS }));
  const decoded = await decodeBench(engine, { ...run, samplings, progress: say });
  say('timing passes with and without the sampler');
  const report = sampledReport({
    sampling,
    decoded,
    sampler: await samplerCost(engine.target, longest(prompts), sampling, repeats),
    prompts: prompts.length,
    maxTokens,
    repeats,
  });
  return { report, text: renderSampledReport(report) };
}

/** Progress, written immediately. */
function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function longest(prompts: readonly (readonly number[])[]): readonly number[] {
  return [...prompts].sort((a, b) => b.length - a.length)[0] ?? [];
}

/** The usual lengths that the drafter can do and its full block, or only the one requested. */
function lengthsToMeasure(longest: number, wanted: number | string | undefined): number[] {
  const usual = wanted === undefined || wanted === '' || wanted === 'adaptive';
  const given = usual || wanted === 'full' ? longest : Number(wanted);
  const lengths = usual ? [...DRAFT_LENGTHS, longest] : [given];
  const possible = lengths.filter((length) => length > 0 && length <= longest);
  if (possible.length > 0) return [...new Set(possible)];
  if (longest === 0)
    throw new InputError({ expected: 'a drafter to measure', got: 'none', remedy: 'give --drafter DIR' });
  throw new InputError({
    expected: `a --draft-length from 1 to ${String(longest)} to measure`,
    got: String(given),
    remedy: 'give a length that the drafter supports',
  });
}
