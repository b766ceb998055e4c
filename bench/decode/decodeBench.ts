// Compares plain with speculative decoding of the same prompts, interleaved so that a change in the machine's load
// affects all of them. Ratios are taken within one repeat, and then their median over the repeats.
import type { DecodeRequest, DraftLength, DecodeResult } from '../../server/engine/decode/decode';
import type { Engine } from '../../server/engine/engine';
import type { SamplingOptions } from '../../server/engine/request/sampling';
import type { SourceStats } from '../../server/engine/request/stats';
import { median } from '../../server/rules/median';
import { say } from '../report';
import { decodeAll } from './decodeAll';

export interface Run {
  readonly prompts: readonly (readonly number[])[];
  /** Sampling options with a seed, for each prompt; greedy by default. */
  readonly samplings?: readonly SamplingOptions[] | undefined;
  /** Fixed lengths above 0; plain and adaptive decoding are always measured. */
  readonly draftLengths: readonly number[];
  /** `maxTokens`, and stop tokens in addition to the target's own. */
  readonly request: Pick<DecodeRequest, 'maxTokens' | 'stopTokenIds'>;
  readonly repeats: number;
}

/** Results of one repeat of one draft length, one per prompt. */
type Repeat = readonly DecodeResult[];
type Measured = ReadonlyMap<DraftLength, Repeat[]>;

export type DecodeFigures = ReturnType<typeof figures> & {
  /** True if every draft length gave the plain token ids, as it must unless drafts are sampled. */
  readonly identical: boolean;
};

export async function decodeBench(engine: Engine, run: Run): Promise<DecodeFigures> {
  const { prompts, samplings, repeats, draftLengths, request } = run;
  const allLengths = [0, ...draftLengths, 'adaptive'] as const;
  let identical = true;
  const decode = async (i: number, lengths: readonly DraftLength[]) => {
    const results = await decodeAll(
      engine,
      prompts[i] ?? [],
      { ...request, sampling: samplings?.[i] },
      lengths,
    );
    identical &&= new Set([...results.values()].map(({ tokenIds }) => tokenIds.join())).size <= 1;
    return results;
  };
  say('warm-up');
  await decode(0, allLengths);
  // Adaptive lengths learn in the first minute on a machine, so train them before measuring.
  for (const i of prompts.keys()) await decode(i, ['adaptive']);
  const measured = new Map(
    allLengths.map((draftLength): [DraftLength, DecodeResult[][]] => [draftLength, []]),
  );
  for (let repeat = 1; repeat <= repeats; repeat++) {
    for (const results of measured.values()) results.push([]);
    for (const i of prompts.keys()) {
      say(`repeat ${outOf(repeat, repeats)}, prompt ${outOf(i + 1, prompts.length)}`);
      for (const [draftLength, result] of await decode(i, allLengths))
        measured.get(draftLength)?.at(-1)?.push(result);
    }
  }
  return { ...figures(measured, draftLengths), identical };
}

function outOf(number: number, count: number): string {
  return `${String(number)} of ${String(count)}`;
}

/** Returns the figures by their names in the JSON. */
function figures(measured: Measured, draftLengths: readonly number[]) {
  const repeatsOf = (draftLength: DraftLength): readonly Repeat[] => measured.get(draftLength) ?? [];
  const plain = repeatsOf(0);
  const adaptive = repeatsOf('adaptive');
  const lengths = draftLengths.map((draftLength) => ({
    draftLength,
    msPerToken: median(repeatsOf(draftLength).map(msPerToken)),
    tokensPerRound: median(repeatsOf(draftLength).map(tokensPerRound)),
    speedup: speedup(repeatsOf(draftLength), plain),
  }));
  const best = lengths.reduce((a, b) => (b.speedup > a.speedup ? b : a));
  return {
    plainMsPerToken: median(plain.map(msPerToken)),
    speculativeMsPerToken: best.msPerToken,
    speedup: best.speedup,
    tokensPerRound: best.tokensPerRound,
    bestDraftLength: best.draftLength,
    graphBuildShare: median(plain.map((repeat) => total(repeat, 'buildMs') / total(repeat, 'decodeMs'))),
    adaptiveMsPerToken: median(adaptive.map(msPerToken)),
    adaptiveSpeedup: speedup(adaptive, plain),
    adaptiveOverBestFixed: speedup(adaptive, repeatsOf(best.draftLength)),
    adaptiveWorstPrompt: worstPrompt(adaptive, plain),
    adaptiveTokensPerRound: median(adaptive.map(tokensPerRound)),
    adaptiveSources: sources(adaptive.flat()),
    lengths,
  };
}

/** Returns the median over the repeats of the time of `baseline` divided by that of `repeats`. */
function speedup(repeats: readonly Repeat[], baseline: readonly Repeat[]): number {
  return median(repeats.map((repeat, i) => msPerToken(baseline[i] ?? []) / msPerToken(repeat)));
}

/** Minimum number of tokens of an answer to compare; a shorter one ends after a round or two, whatever is drafted. */
const MIN_TOKENS = 8;

/** Returns the smallest speed-up of a single prompt, ignoring answers that stop before `MIN_TOKENS`. */
function worstPrompt(adaptive: readonly Repeat[], plain: readonly Repeat[]): number {
  const ofPrompt = (repeats: readonly Repeat[], i: number): Repeat[] =>
    repeats.map((repeat) => repeat.slice(i, i + 1));
  const speedups = (adaptive[0] ?? []).map(({ stats: { emittedTokens, finishReason } }, i) =>
    finishReason === 'stop' && emittedTokens < MIN_TOKENS
      ? Infinity
      : speedup(ofPrompt(adaptive, i), ofPrompt(plain, i)),
  );
  return Math.min(...speedups);
}

/** Sums the statistics of each drafter over all results. */
function sources(results: readonly DecodeResult[]): SourceStats[] {
  const totals = new Map<string, SourceStats>();
  for (const { name, rounds, drafted, accepted } of results.flatMap(({ stats }) => stats.sources)) {
    const before = totals.get(name) ?? { rounds: 0, drafted: 0, accepted: 0 };
    totals.set(name, {
      name,
      rounds: before.rounds + rounds,
      drafted: before.drafted + drafted,
      accepted: before.accepted + accepted,
    });
  }
  return [...totals.values()];
}

function msPerToken(repeat: Repeat): number {
  return total(repeat, 'decodeMs') / total(repeat, 'roundTokens');
}

function tokensPerRound(repeat: Repeat): number {
  return total(repeat, 'roundTokens') / total(repeat, 'rounds');
}

function total(repeat: Repeat, count: 'decodeMs' | 'buildMs' | 'rounds' | 'roundTokens'): number {
  return repeat.reduce((sum, { stats }) => sum + stats[count], 0);
}
