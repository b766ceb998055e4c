// Several drafters of one target on the same prompts, by turns so that a change in the machine's load affects all of
// them. Each is compared with plain decoding of the same prompt right before it; then the median over the repeats.
import { decodeAll } from '../decode/decodeAll';
import { speedResult, sum, totalSources, type Repeat, type SpeedResult } from '../decode/decodeBench';
import { median } from '../../server/rules/median';
import type { DecodeResult, DraftLength } from '../../server/engine/decode';
import type { Engine } from '../../server/engine/engine';
import type { SourceStats } from '../../server/engine/stats';

export interface Contestant {
  readonly name: string;
  /** Without a drafter it only looks up. */
  readonly engine: Engine;
}

export interface CompareOptions {
  readonly contestants: readonly Contestant[];
  readonly prompts: readonly (readonly number[])[];
  readonly maxTokens: number;
  readonly repeats: number;
  /** Called with what comes next. */
  readonly progress: (text: string) => void;
}

/** One draft length of one drafter. */
export interface DraftedResult extends SpeedResult {
  readonly draftLength: DraftLength;
  /** Medians over the repeats of the mean over all rounds. */
  readonly draftMs: number;
  readonly verifyMs: number;
  /** Of all repeats, by where the drafts came from. */
  readonly sources: readonly SourceStats[];
}

export interface DrafterResult {
  readonly name: string;
  readonly plainMsPerToken: number;
  readonly plainVerifyMs: number;
  /** Fixed lengths, and 'adaptive' at the end. */
  readonly lengths: readonly DraftedResult[];
}

export interface Comparison {
  readonly drafters: readonly DrafterResult[];
  /** Whether all of them gave the tokens of plain decoding, at every length. */
  readonly identical: boolean;
}

type Measured = Map<DraftLength, DecodeResult[][]>;

const DRAFT_LENGTHS = [3, 5, 7, 11];

/** The usual lengths that it can draft, and all that it can. */
function lengthsOf({ engine: { maxDraftTokens: most } }: Contestant): DraftLength[] {
  const fixed = [...DRAFT_LENGTHS, most].filter((length) => length > 0 && length <= most);
  return [0, ...new Set(fixed), 'adaptive'];
}

export async function compareDrafters(options: CompareOptions): Promise<Comparison> {
  const { contestants, prompts, maxTokens, repeats, progress } = options;
  const all = contestants.map((contestant) => {
    const lengths = lengthsOf(contestant);
    const measured: Measured = new Map(lengths.map((length) => [length, []]));
    return { ...contestant, lengths, measured };
  });
  const outputs = prompts.map(() => new Set<string>());
  for (const { name, engine, lengths } of all) {
    progress(`warm-up: ${name}`);
    await decodeAll(engine, prompts[0] ?? [], { maxTokens }, lengths);
    // Adaptive lengths learn in the first minute on a machine and keep that, so it is not charged to any prompt.
    for (const prompt of prompts) await decodeAll(engine, prompt, { maxTokens }, ['adaptive']);
  }
  for (let repeat = 1; repeat <= repeats; repeat++) {
    for (const { measured } of all) for (const results of measured.values()) results.push([]);
    for (const [i, prompt] of prompts.entries()) {
      progress(`repeat ${outOf(repeat, repeats)}, prompt ${outOf(i + 1, prompts.length)}`);
      for (const { engine, lengths, measured } of all)
        for (const [length, result] of await decodeAll(engine, prompt, { maxTokens }, lengths)) {
          measured.get(length)?.at(-1)?.push(result);
          outputs[i]?.add(result.tokenIds.join());
        }
    }
  }
  return {
    drafters: all.map(({ name, measured }) => ({ name, ...summarise(measured) })),
    identical: outputs.every(({ size }) => size <= 1),
  };
}

function summarise(measured: Measured): Omit<DrafterResult, 'name'> {
  const plain = measured.get(0) ?? [];
  const lengths = [...measured].filter(([draftLength]) => draftLength !== 0);
  return {
    plainMsPerToken: speedResult(plain, plain).msPerToken,
    plainVerifyMs: msPerRound(plain, 'verifyMs'),
    lengths: lengths.map(([draftLength, repeats]) => ({
      draftLength,
      ...speedResult(repeats, plain),
      draftMs: msPerRound(repeats, 'draftMs'),
      verifyMs: msPerRound(repeats, 'verifyMs'),
      sources: totalSources(repeats.flat()),
    })),
  };
}

function msPerRound(repeats: readonly Repeat[], time: 'draftMs' | 'verifyMs'): number {
  return median(repeats.map((repeat) => sum(repeat, time) / sum(repeat, 'rounds')));
}

function outOf(number: number, all: number): string {
  return `${String(number)} of ${String(all)}`;
}
