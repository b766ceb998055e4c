// Plain against speculative decoding of the same prompts, interleaved so that a change in the machine's load
// meets all of them. Ratios are taken within one repeat, then the median over the repeats.
import type { Engine } from '../../engine/engine';
import type { DecodeResult } from '../../engine/session';
import { median } from './median';

export interface DecodeBenchOptions {
  readonly prompts: readonly (readonly number[])[];
  readonly draftLengths: readonly number[];
  readonly maxTokens: number;
  readonly repeats: number;
  readonly progress: (text: string) => void;
}

/** Totals of one draft length over all prompts of one repeat. */
interface Totals {
  tokens: number;
  rounds: number;
  decodeMs: number;
  buildMs: number;
}

export interface LengthResult {
  readonly draftLength: number;
  readonly msPerToken: number;
  readonly tokensPerRound: number;
  /** Plain time over this length's time. */
  readonly speedup: number;
}

export interface DecodeBenchResult {
  readonly plainMsPerToken: number;
  readonly graphBuildShare: number;
  readonly lengths: readonly LengthResult[];
  /** Whether every draft length gave the plain token ids. */
  readonly identical: boolean;
}

export async function decodeBench(engine: Engine, options: DecodeBenchOptions): Promise<DecodeBenchResult> {
  const { prompts, repeats, progress } = options;
  const lengths = [0, ...options.draftLengths];
  const repeatsOf = new Map(lengths.map((length) => [length, [] as Totals[]]));
  let identical = true;
  // The first pass warms the machine and the compiler up and is not counted.
  for (let repeat = 0; repeat <= repeats; repeat++) {
    const totals = new Map(
      lengths.map((length) => [length, { tokens: 0, rounds: 0, decodeMs: 0, buildMs: 0 }]),
    );
    for (const prompt of prompts) {
      const outputs = new Set<string>();
      for (const [draftLength, sum] of totals) {
        const result = await run(engine, prompt, draftLength, options.maxTokens);
        add(sum, result);
        outputs.add(result.tokenIds.join());
      }
      identical &&= outputs.size === 1;
    }
    progress(repeat === 0 ? 'warm-up' : `repeat ${String(repeat)} of ${String(repeats)}`);
    if (repeat === 0) continue;
    for (const [length, sum] of totals) repeatsOf.get(length)?.push(sum);
  }
  return { ...summarise(repeatsOf), identical };
}

async function run(
  engine: Engine,
  prompt: readonly number[],
  draftLength: number,
  maxTokens: number,
): Promise<DecodeResult> {
  return await engine.decode(prompt, { maxTokens, draftLength }).finish();
}

function add(sum: Totals, { stats }: DecodeResult): void {
  sum.tokens += stats.emittedTokens - 1;
  sum.rounds += stats.rounds;
  sum.decodeMs += stats.decodeMs;
  sum.buildMs += stats.buildMs;
}

function summarise(repeatsOf: ReadonlyMap<number, readonly Totals[]>): Omit<DecodeBenchResult, 'identical'> {
  const plain = repeatsOf.get(0) ?? [];
  const plainMs = plain.map(msPerToken);
  const lengths = [...repeatsOf]
    .filter(([draftLength]) => draftLength > 0)
    .map(([draftLength, repeats]) => ({
      draftLength,
      msPerToken: median(repeats.map(msPerToken)),
      tokensPerRound: median(repeats.map(({ tokens, rounds }) => tokens / rounds)),
      speedup: median(repeats.map((totals, i) => (plainMs[i] ?? NaN) / msPerToken(totals))),
    }));
  return {
    plainMsPerToken: median(plainMs),
    graphBuildShare: median(plain.map(({ buildMs, decodeMs }) => buildMs / decodeMs)),
    lengths,
  };
}

function msPerToken({ tokens, decodeMs }: Totals): number {
  return decodeMs / tokens;
}
