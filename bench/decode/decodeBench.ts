// Plain against speculative decoding of the same prompts, interleaved so that a change in the machine's load affects
// all of them. Ratios are taken within one repeat, then the median over the repeats.
import type { DraftLength, DecodeResult } from '../../server/engine/decode/decode';
import type { Engine } from '../../server/engine/engine';
import type { SamplingOptions } from '../../server/engine/request/sampling';
import type { SourceStats } from '../../server/engine/request/stats';
import { decodeAll } from './decodeAll';
import { median } from '../../server/rules/median';

export interface DecodeBenchOptions {
  readonly prompts: readonly (readonly number[])[];
  /** How tokens are chosen, for each prompt, with a seed; greedily by default. */
  readonly samplings?: readonly SamplingOptions[];
  /** Fixed lengths above 0; plain and adaptive decoding are always measured. */
  readonly draftLengths: readonly number[];
  readonly maxTokens: number;
  readonly repeats: number;
  /** Called with what comes next. */
  readonly progress: (text: string) => void;
}

/** One repeat of one draft length: a result per prompt. */
export type Repeat = readonly DecodeResult[];

export interface SpeedResult {
  readonly msPerToken: number;
  readonly tokensPerRound: number;
  /** Plain time over this time. */
  readonly speedup: number;
}

export interface LengthResult extends SpeedResult {
  readonly draftLength: number;
}

export interface AdaptiveResult extends SpeedResult {
  /** Time of the best fixed length over this time. */
  readonly overBestFixed: number;
  /** The smallest speed-up of a single prompt, among those whose answer takes more than a round or two. */
  readonly worstPrompt: number;
  readonly sources: readonly SourceStats[];
}

export interface DecodeBenchResult {
  readonly plainMsPerToken: number;
  readonly graphBuildShare: number;
  readonly lengths: readonly LengthResult[];
  readonly adaptive: AdaptiveResult;
  /** Whether every draft length gave the plain token ids, as they must unless drafts are drawn at random. */
  readonly identical: boolean;
}

export async function decodeBench(engine: Engine, options: DecodeBenchOptions): Promise<DecodeBenchResult> {
  const { prompts, samplings, repeats, draftLengths, maxTokens, progress } = options;
  const all = [0, ...draftLengths, 'adaptive'] as const;
  const measured = new Map<DraftLength, DecodeResult[][]>(all.map((draftLength) => [draftLength, []]));
  let identical = true;
  const decode = async (i: number): Promise<ReadonlyMap<DraftLength, DecodeResult>> => {
    const results = await decodeAll(engine, prompts[i] ?? [], { maxTokens, sampling: samplings?.[i] }, all);
    identical &&= new Set([...results.values()].map(({ tokenIds }) => tokenIds.join())).size <= 1;
    return results;
  };
  progress('warm-up');
  await decode(0);
  // Adaptive lengths learn in the first minute on a machine and keep that, so it is not charged to any prompt.
  for (const [i, prompt] of prompts.entries())
    await decodeAll(engine, prompt, { maxTokens, sampling: samplings?.[i] }, ['adaptive']);
  for (let repeat = 1; repeat <= repeats; repeat++) {
    for (const results of measured.values()) results.push([]);
    for (const i of prompts.keys()) {
      progress(`repeat ${outOf(repeat, repeats)}, prompt ${outOf(i + 1, prompts.length)}`);
      for (const [draftLength, result] of await decode(i)) measured.get(draftLength)?.at(-1)?.push(result);
    }
  }
  return { ...summarise(measured), identical };
}

function outOf(number: number, all: number): string {
  return `${String(number)} of ${String(all)}`;
}

function summarise(
  measured: ReadonlyMap<DraftLength, readonly Repeat[]>,
): Omit<DecodeBenchResult, 'identical'> {
  const plain = measured.get(0) ?? [];
  const lengths = [...measured].flatMap(([draftLength, repeats]) =>
    typeof draftLength === 'number' && draftLength > 0
      ? [{ draftLength, ...speedResult(repeats, plain) }]
      : [],
  );
  const best = lengths.reduce((a, b) => (b.speedup > a.speedup ? b : a));
  const adaptive = measured.get('adaptive') ?? [];
  return {
    plainMsPerToken: median(plain.map(msPerToken)),
    graphBuildShare: median(plain.map((repeat) => sum(repeat, 'buildMs') / sum(repeat, 'decodeMs'))),
    lengths,
    adaptive: {
      ...speedResult(adaptive, plain),
      overBestFixed: speedResult(adaptive, measured.get(best.draftLength) ?? []).speedup,
      worstPrompt: Math.min(...promptSpeedups(adaptive, plain)),
      sources: totalSources(adaptive.flat()),
    },
  };
}

function speedResult(repeats: readonly Repeat[], plain: readonly Repeat[]): SpeedResult {
  return {
    msPerToken: median(repeats.map(msPerToken)),
    tokensPerRound: median(repeats.map((repeat) => sum(repeat, 'roundTokens') / sum(repeat, 'rounds'))),
    speedup: median(repeats.map((repeat, i) => msPerToken(plain[i] ?? []) / msPerToken(repeat))),
  };
}

/** An answer that has ended with fewer tokens is over after a round or two, whatever is drafted. */
const SHORT = 8;

/** One for each prompt whose answer is not that short. */
function promptSpeedups(repeats: readonly Repeat[], plain: readonly Repeat[]): number[] {
  const prompts = repeats[0] ?? [];
  return prompts.flatMap((prompt, i) => {
    const { emittedTokens, finishReason } = prompt.stats;
    if (finishReason === 'stop' && emittedTokens < SHORT) return [];
    const ratios = repeats.map(
      (repeat, r) => msPerToken(plain[r]?.slice(i, i + 1) ?? []) / msPerToken(repeat.slice(i, i + 1)),
    );
    return [median(ratios)];
  });
}

function totalSources(results: readonly DecodeResult[]): SourceStats[] {
  const all = results.flatMap(({ stats }) => stats.sources);
  return [...new Set(all.map(({ name }) => name))].map((name) => {
    const mine = all.filter((source) => source.name === name);
    const total = (count: (source: SourceStats) => number): number =>
      mine.reduce((result, source) => result + count(source), 0);
    return {
      name,
      rounds: total(({ rounds }) => rounds),
      drafted: total(({ drafted }) => drafted),
      accepted: total(({ accepted }) => accepted),
    };
  });
}

function msPerToken(repeat: Repeat): number {
  return sum(repeat, 'decodeMs') / sum(repeat, 'roundTokens');
}

type Count = 'decodeMs' | 'draftMs' | 'verifyMs' | 'buildMs' | 'rounds' | 'roundTokens';

function sum(repeat: Repeat, count: Count): number {
  return repeat.reduce((total, { stats }) => total + stats[count], 0);
}
