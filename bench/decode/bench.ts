// `flashline bench`: measures the gain of speculation on this machine; prints a table and, as the last line, JSON.
import { SEED_COUNT, type SamplingOptions } from '../../server/engine/request/sampling';
import { WrongValue } from '../../server/rules/userError';
import { parseArguments, parseCount } from '../../server/cli/arguments';
import { loadEngine, pairHelp, PAIR_OPTIONS, parsePair } from '../../server/cli/pairArguments';
import {
  samplingArguments,
  SAMPLING_HELP,
  SAMPLING_OPTIONS,
  usesChance,
} from '../../server/cli/samplingArguments';
import { chatArguments, CHAT_HELP, CHAT_OPTIONS, PromptEncoder } from '../../server/cli/promptEncoder';
import type { Engine } from '../../server/engine/engine';
import { keepCoresBusy } from '../benchMachine';
import { printReport, requireWritable, say } from '../report';
import { benchPrompts, chatPrompts } from './benchPrompts';
import { decodeBench } from './decodeBench';
import { benchReport, renderReport } from './decodeReport';
import { depthReport, renderDepths } from './depthReport';

interface Extent {
  /** Count of prompts to measure, from the first on. */
  readonly prompts: number;
  readonly maxTokens: number;
  readonly repeats: number;
}

const USUAL: Extent = { prompts: Infinity, maxTokens: 24, repeats: 3 };
const QUICK: Extent = { prompts: 4, maxTokens: 16, repeats: 2 };

export const HELP = `flashline bench [options]

Compares plain and speculative decoding: decodes 16 prompts plainly, with several draft lengths and adaptively,
interleaved in one run after a warm-up, and times single steps. The prompts are 8 places in bundled files, each with the
text after the cursor, as in the editor, and without it. Reports progress on stderr; prints a table and, as its last
line, JSON. Takes two to three minutes on two otherwise idle cores. With --chat, or by default for a target that chats
and cannot fill in, the prompts are messages instead, each asking to continue one of these files.

  --json FILE           also write the JSON to this file
  --repeats N           number of repeats; use more for figures worth quoting (default: ${String(USUAL.repeats)})
  --max-tokens N        tokens per prompt (default: ${String(USUAL.maxTokens)})
  --depth               measure reading and decoding after 0, 1,024, 2,048, 4,096 and 8,192 tokens of context instead,
                        as far as the context of the target goes
  --busy N              measure beside N processes that never end (default: 0)
  --quick               get a first impression in half a minute: ${String(QUICK.prompts)} prompts, ${String(QUICK.maxTokens)} tokens, ${String(QUICK.repeats)} repeats${CHAT_HELP}${pairHelp('full')}

With --draft-length N, only that fixed length is measured. --depth takes adaptive lengths only.
With --temperature X above 0, tokens are drawn, both plainly and with drafts. Each prompt has the same seed at all
lengths (default: 1, counted up from prompt to prompt, except with --depth).
${SAMPLING_HELP}`;

const DRAFT_LENGTHS = [3, 5, 7, 11];

export async function run(args: string[]): Promise<void> {
  const { values } = parseArguments({
    args,
    options: {
      ...PAIR_OPTIONS,
      ...SAMPLING_OPTIONS,
      ...CHAT_OPTIONS,
      depth: { type: 'boolean', default: false },
      json: { type: 'string' },
      repeats: { type: 'string' },
      'max-tokens': { type: 'string' },
      busy: { type: 'string', default: '0' },
      quick: { type: 'boolean', default: false },
    },
  });
  const pair = parsePair(values);
  const chat = chatArguments(values);
  const sampling = seededSampling(samplingArguments(values));
  const extent = values.quick ? QUICK : USUAL;
  const count = (option: 'repeats' | 'max-tokens', min: number, byDefault: number): number =>
    parseCount(`--${option}`, values[option] ?? String(byDefault), { min, max: 1000 });
  const repeats = count('repeats', 1, extent.repeats);
  const maxTokens = count('max-tokens', 2, extent.maxTokens);
  const busy = parseCount('--busy', values.busy, { min: 0, max: 64 });
  const { 'draft-length': draftLength } = values;
  if (values.depth && draftLength && draftLength !== 'adaptive')
    throw new WrongValue({
      expected: '--draft-length adaptive with --depth',
      got: draftLength,
      remedy: 'leave it out',
    });
  requireWritable(values.json);
  keepCoresBusy(busy);
  say('loading the models');
  const engine = await loadEngine(pair);
  const encoder = PromptEncoder.of(engine, pair, chat);
  const allPrompts = encoder.isChat ? chatPrompts(encoder) : benchPrompts(engine, maxTokens);
  const prompts = allPrompts.slice(0, extent.prompts);
  const measurement = { engine, encoder, prompts, sampling, maxTokens, repeats };
  if (values.depth) {
    const report = await measureDepths(measurement);
    printReport(renderDepths(report), report, values.json);
    return;
  }
  const draftLengths = lengthsToMeasure(engine.maxDraftTokens, draftLength && pair.draftLength);
  const report = await measureLengths(measurement, draftLengths);
  printReport(renderReport(report), report, values.json);
}

interface Measurement {
  readonly engine: Engine;
  readonly encoder: PromptEncoder;
  readonly prompts: readonly (readonly number[])[];
  readonly sampling: Sampling | undefined;
  readonly maxTokens: number;
  readonly repeats: number;
}

async function measureLengths(measurement: Measurement, draftLengths: readonly number[]) {
  const { engine, encoder, prompts, sampling, maxTokens, repeats } = measurement;
  const samplings =
    sampling && prompts.map((_, i) => ({ ...sampling, seed: (sampling.seed + i) % SEED_COUNT }));
  const request = encoder.withTurnEnds({ maxTokens });
  const decoded = await decodeBench(engine, { prompts, samplings, draftLengths, request, repeats });
  // Imported only now: the module loads the native addon, as the engine does.
  const { passCosts } = await import('./passCosts');
  const costs = await passCosts(engine, longest(prompts), repeats);
  const { isChat } = encoder;
  return benchReport(decoded, costs, { sampling, isChat, prompts: prompts.length, maxTokens, repeats });
}

async function measureDepths({ engine, encoder, prompts, sampling, maxTokens, repeats }: Measurement) {
  const { depthBench } = await import('./depthBench');
  const request = encoder.withTurnEnds({ maxTokens, sampling });
  const depths = await depthBench(engine, { prompts, request, repeats });
  return depthReport(depths, {
    sampling,
    isChat: encoder.isChat,
    prompts: prompts.length,
    maxTokens,
    repeats,
  });
}

type Sampling = SamplingOptions & { readonly seed: number };

/**
 * Returns the sampling options with a seed; undefined for greedy decoding. Throws UserError for other sampling
 * options with greedy decoding.
 */
function seededSampling(sampling: SamplingOptions): Sampling | undefined {
  const { seed = 1, acceptance = 'match' } = sampling;
  if (usesChance(sampling)) return { ...sampling, seed, acceptance };
  if (Object.keys(sampling).every((name) => name === 'temperature')) return undefined;
  throw new WrongValue({
    expected: '--temperature above 0 with other sampling options',
    got: String(sampling.temperature ?? 'none'),
    remedy: 'give one, such as 0.7, or leave them out',
  });
}

function longest(prompts: readonly (readonly number[])[]): readonly number[] {
  return [...prompts].sort((a, b) => b.length - a.length)[0] ?? [];
}

/** Returns the default lengths that the drafter supports and its full block, or only the requested length. */
function lengthsToMeasure(fullLength: number, requested: number | string | undefined): number[] {
  const isDefault = requested === undefined || requested === '' || requested === 'adaptive';
  const requestedLength = isDefault || requested === 'full' ? fullLength : Number(requested);
  const lengths = isDefault ? [...DRAFT_LENGTHS, fullLength] : [requestedLength];
  const possible = lengths.filter((length) => length > 0 && length <= fullLength);
  if (possible.length > 0) return [...new Set(possible)];
  if (fullLength === 0)
    throw new WrongValue({ expected: 'a drafter to measure', got: 'none', remedy: 'give --drafter DIR' });
  throw new WrongValue({
    expected: `a --draft-length from 1 to ${String(fullLength)} to measure`,
    got: String(requestedLength),
    remedy: 'give a length that the drafter supports',
  });
}
