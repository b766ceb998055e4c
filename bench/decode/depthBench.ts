// Measures speed by depth of context: prefills source text up to each depth and then a prompt, and decodes both plainly
// and with adaptive drafts. Each repeat measures all depths in turn, so that a change in the machine's load affects all
// of them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tokenizerOf } from '../../server/cli/fillIn';
import type { DecodeRequest } from '../../server/engine/decode/decode';
import type { Engine } from '../../server/engine/engine';
import type { RequestStats } from '../../server/engine/request/stats';
import { mediaPath } from '../../server/machine/folders';
import { median } from '../../server/rules/median';
import { say } from '../report';

/** Depths to measure: tokens of context before the prompt. */
const DEPTHS = [0, 1024, 2048, 4096, 8192];

export interface DepthFigures {
  /** Tokens of context before the prompt. */
  readonly depth: number;
  readonly prefillTokensPerSecond: number;
  readonly plainTokensPerSecond: number;
  readonly adaptiveTokensPerSecond: number;
  /** Tokens per round with adaptive draft lengths. */
  readonly tokensPerRound: number;
}

export interface DepthRun {
  readonly prompts: readonly (readonly number[])[];
  readonly request: DecodeRequest;
  readonly repeats: number;
}

/** Counters of all decodes at one depth in one repeat. */
interface Sample {
  readonly plain: readonly RequestStats[];
  readonly adaptive: readonly RequestStats[];
}

/** Measures the depths that fit into the target's context. */
export async function depthBench(engine: Engine, run: DepthRun): Promise<DepthFigures[]> {
  const longestPrompt = Math.max(...run.prompts.map(({ length }) => length));
  const room = engine.config.maxPositionEmbeddings - longestPrompt - run.request.maxTokens;
  const depths = DEPTHS.filter((depth) => depth <= room);
  const context = contextTokens(engine, depths.at(-1) ?? 0);
  const samples = new Map(depths.map((depth): [number, Sample[]] => [depth, []]));
  say('warm-up');
  await sampleAt(engine, run, []);
  for (let repeat = 1; repeat <= run.repeats; repeat++)
    for (const [depth, taken] of samples) {
      say(`repeat ${String(repeat)} of ${String(run.repeats)}, depth ${String(depth)}`);
      taken.push(await sampleAt(engine, run, context.slice(0, depth)));
    }
  return [...samples].map(([depth, taken]) => figures(depth, taken));
}

async function sampleAt(
  engine: Engine,
  { prompts, request }: DepthRun,
  context: readonly number[],
): Promise<Sample> {
  const plain: RequestStats[] = [];
  const adaptive: RequestStats[] = [];
  for (const prompt of prompts) {
    const promptIds = [...context, ...prompt];
    // Do not use the cache, which would leave nothing to prefill.
    const decode = async (draftLength: 0 | 'adaptive') =>
      (await engine.decode(promptIds, { ...request, draftLength, fresh: true }).finish()).stats;
    plain.push(await decode(0));
    adaptive.push(await decode('adaptive'));
  }
  return { plain, adaptive };
}

function figures(depth: number, samples: readonly Sample[]): DepthFigures {
  const medianOf = (value: (sample: Sample) => number): number => median(samples.map(value));
  return {
    depth,
    prefillTokensPerSecond: medianOf(({ plain, adaptive }) =>
      perSecond([...plain, ...adaptive], 'promptTokens', 'prefillMs'),
    ),
    plainTokensPerSecond: medianOf(({ plain }) => perSecond(plain, 'roundTokens', 'decodeMs')),
    adaptiveTokensPerSecond: medianOf(({ adaptive }) => perSecond(adaptive, 'roundTokens', 'decodeMs')),
    tokensPerRound: medianOf(({ adaptive }) => total(adaptive, 'roundTokens') / total(adaptive, 'rounds')),
  };
}

type Count = 'promptTokens' | 'prefillMs' | 'roundTokens' | 'decodeMs' | 'rounds';

function perSecond(stats: readonly RequestStats[], tokens: Count, ms: Count): number {
  return (1000 * total(stats, tokens)) / total(stats, ms);
}

function total(stats: readonly RequestStats[], count: Count): number {
  return stats.reduce((sum, decode) => sum + decode[count], 0);
}

/**
 * Returns `count` tokens of different source files, since look-up would draft repeated text. Repeats files only if all
 * of them together are too short.
 */
function contextTokens(engine: Engine, count: number): number[] {
  const folder = mediaPath('../bench/holes/files');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  const tokens = files.flatMap((file) => tokenizerOf(engine).encodeText(readFileSync(file, 'utf8')));
  return Array.from({ length: count }, (_, i) => tokens[i % tokens.length] ?? 0);
}
