// Checks and measures the built-in pair in one mode. Runs in a separate process, which MLX ends if something is wrong.
import { readFileSync } from 'node:fs';
import { fixedLength } from '../engine/draftLength/fixedLength';
import { PromptReader } from '../engine/decode/promptLogprobs';
import { DecodeSession } from '../engine/decode/decodeSession';
import { PromptCache } from '../engine/promptCache';
import { samplingOf } from '../engine/request/sampling';
import { rates } from '../engine/request/stats';
import { createSampler } from '../engine/sampling/createSampler';
import { Scheduler } from '../engine/scheduler';
import { mediaPath } from '../machine/folders';
import type { TargetModel } from '../models/decoder/target';
import { useDevice, type DeviceName } from '../models/mlx/device';
import { core } from '../models/mlx/binding';
import type { Drafter } from '../models/drafters/drafter';
import { readModelFolder, type ModelFiles } from '../models/checkpoint/modelFolder';
import { loadDrafter } from '../models/loadDrafter';
import { loadTarget } from '../models/loadTarget';
import { median } from '../rules/median';
import { nearTieGap, type NumberType } from '../rules/nearTieGap';

/** File in media/ with prompts and greedy outputs of the reference implementation; `npm run goldens` writes it. */
export const GOLDENS = 'doctor/goldens.json';

export interface PairGolden {
  readonly promptIds: readonly number[];
  readonly outputIds: readonly number[];
}

/**
 * Device and number type to run the pair with. On a CPU, bfloat16 matrix products would abort the process, so only
 * float32 is checked. On a GPU, weights stay quantised.
 */
export interface Mode {
  readonly device: DeviceName;
  readonly type: NumberType;
}

/** Verdicts from good to bad. */
export const VERDICTS = ['pass', 'near tie', 'fail'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Finding {
  readonly verdict: Verdict;
  /**
   * Gap between the log-probabilities of the first differing token and of the expected one, in the text where it is
   * largest; 0 if all tokens match, null if one is not finite.
   */
  readonly largestGap: number | null;
}

export interface ModeCheck {
  /** Verdict on decoding without drafts. */
  readonly plain: Finding;
  readonly drafted: Finding;
  readonly measures: Measures;
}

export interface Measures {
  /** Median milliseconds of passes by row count; 1 is a plain step. */
  readonly passMs: Readonly<Record<string, number>>;
  /** Milliseconds that JavaScript takes to build the graph of a plain step. */
  readonly buildMs: number;
  readonly prefillTokensPerSecond: number;
  readonly plainTokensPerSecond: number;
  /** Speed with full drafts. */
  readonly draftedTokensPerSecond: number;
}

/** Rows of the passes to time. */
const PASS_ROWS = [1, 4, 8, 16];
/** Tokens of the prompt whose prefill is timed. */
const PREFILL_TOKENS = 512;

export function readGoldens(): readonly PairGolden[] {
  return (JSON.parse(readFileSync(mediaPath(GOLDENS), 'utf8')) as { readonly pair: PairGolden[] }).pair;
}

/** Checks the pair against the goldens, with and without drafts, and measures its speed. */
export async function checkMode(mode: Mode, goldens = readGoldens()): Promise<ModeCheck> {
  const { device, type } = mode;
  useDevice(device);
  const target = await loadTarget(builtIn('target', mode));
  let drafter: Drafter | undefined;
  try {
    const { config, tables } = target;
    drafter = await loadDrafter({ ...builtIn('drafter', mode), tables }, config);
    const pair = { target, drafter, device };
    const plain: Finding[] = [];
    const drafted: Finding[] = [];
    for (const golden of goldens) {
      plain.push(await findingOf(pair, golden, 0, type));
      drafted.push(await findingOf(pair, golden, drafter.maxDraftTokens, type));
    }
    return { plain: worst(plain), drafted: worst(drafted), measures: await measure(pair, goldens) };
  } finally {
    drafter?.dispose();
    target.dispose();
  }
}

/** Measures the milliseconds of a plain step of the built-in pair. */
export async function plainStepMs(device: DeviceName, goldens = readGoldens()): Promise<number> {
  const mode = { device, type: 'float32' } as const;
  useDevice(device);
  const target = await loadTarget(builtIn('target', mode));
  try {
    const { promptIds = [], outputIds = [] } = goldens.at(-1) ?? {};
    return await passTime({ target, drafter: undefined, device }, promptIds, 0, outputIds.length);
  } finally {
    target.dispose();
  }
}

/** Returns the files of a built-in model, to load in a mode. */
function builtIn(model: 'target' | 'drafter', { device: name, type }: Mode): ModelFiles {
  const device = { name, dtype: core[type], keepsQuantised: name === 'gpu' };
  return { ...readModelFolder(mediaPath(`model/${model}`)), device };
}

/** The loaded models of a mode. */
interface Pair {
  readonly target: TargetModel;
  readonly drafter: Drafter | undefined;
  readonly device: DeviceName;
}

/** Compares an output up to the first differing token, after which the texts diverge. `drafts` is the draft length. */
async function findingOf(pair: Pair, golden: PairGolden, drafts: number, type: NumberType): Promise<Finding> {
  const { promptIds, outputIds } = golden;
  const { tokenIds } = await decode(pair, promptIds, drafts, outputIds.length).finish();
  const mismatch = outputIds.findIndex((token, i) => token !== tokenIds[i]);
  if (mismatch < 0) return { verdict: 'pass', largestGap: 0 };
  const before = [...promptIds, ...outputIds.slice(0, mismatch)];
  const logprobs = [];
  for (const token of [tokenIds[mismatch] ?? 0, outputIds[mismatch] ?? 0]) {
    const reader = new PromptReader(pair.target, pair.device, new Scheduler(), [...before, token]);
    const entries = await reader.logprobs({ count: 0 });
    logprobs.push(entries.at(-1)?.logprob ?? NaN);
  }
  const [chosen = NaN, expected = NaN] = logprobs;
  const largestGap = Math.abs(chosen - expected);
  // A NaN gap fails the comparison, so it counts as a failure.
  return { verdict: largestGap < nearTieGap(type) ? 'near tie' : 'fail', largestGap };
}

function worst(findings: readonly Finding[]): Finding {
  const largestGap = Math.max(...findings.map((finding) => finding.largestGap ?? NaN));
  return {
    verdict:
      VERDICTS.findLast((candidate) => findings.some(({ verdict }) => verdict === candidate)) ?? 'pass',
    // JSON, in which the result leaves this process, has no NaN.
    largestGap: Number.isFinite(largestGap) ? largestGap : null,
  };
}

/** Measures after the checks, since a GPU compiles its kernels in the first decodes. */
async function measure(pair: Pair, goldens: readonly PairGolden[]): Promise<Measures> {
  const { promptIds = [], outputIds = [] } = goldens.at(-1) ?? {};
  const statsOf = async (drafts: number) =>
    (await decode(pair, promptIds, drafts, outputIds.length).finish()).stats;
  const longPrompt = Array.from({ length: PREFILL_TOKENS }, (_, i) => promptIds[i % promptIds.length] ?? 0);
  const { prefillMs } = (await decode(pair, longPrompt, 0, 1).finish()).stats;
  const passMs: Record<string, number> = {};
  for (const rows of PASS_ROWS) {
    passMs[rows] = await passTime(pair, promptIds, rows - 1, outputIds.length);
  }
  const plain = await statsOf(0);
  const drafted = await statsOf(pair.drafter?.maxDraftTokens ?? 0);
  return {
    passMs,
    buildMs: plain.buildMs / plain.rounds,
    prefillTokensPerSecond: (1000 * PREFILL_TOKENS) / prefillMs,
    plainTokensPerSecond: rates(plain).decodeTokensPerSecond,
    draftedTokensPerSecond: rates(drafted).decodeTokensPerSecond,
  };
}

/** Measures the median milliseconds of the target's passes while one text is decoded with `drafts` per round. */
async function passTime(pair: Pair, ids: readonly number[], drafts: number, tokens: number): Promise<number> {
  const times: number[] = [];
  const maxDrafts = pair.drafter?.maxDraftTokens ?? 0;
  for await (const { round } of decode(pair, ids, Math.min(drafts, maxDrafts), tokens))
    if (round) times.push(round.verifyMs);
  return median(times);
}

function decode(
  { target, drafter, device }: Pair,
  ids: readonly number[],
  drafts: number,
  maxTokens: number,
) {
  const parts = {
    target,
    tokenizer: undefined,
    drafters: drafter && drafts > 0 ? [drafter] : [],
    policy: fixedLength(drafts),
    sampler: createSampler(samplingOf(), drafter?.maskTokenId),
    speculationOff: drafts > 0 ? undefined : ('draft_length_zero' as const),
    device,
    scheduler: new Scheduler(),
    signals: [],
  };
  return new DecodeSession(parts, ids, { maxTokens }, new PromptCache(target, { bytes: 0 }));
}
