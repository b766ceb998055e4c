// What a drafter accepts in other bits than its files store. Nothing is timed: on a CPU, packed weights are expanded
// after rounding, so the loss shows there too.
import { decodeAll } from '../decode/decodeAll';
import type { Engine } from '../../server/engine/engine';

export const BITS = [4, 8, 16] as const;

export interface BitsOptions {
  /** Loads the pair with a drafter of so many bits; as stored where it is undefined. */
  readonly load: (bits: number | undefined) => Promise<Engine>;
  readonly prompts: readonly (readonly number[])[];
  readonly maxTokens: number;
}

export interface BitsResult {
  /** Drafted in each round. */
  readonly draftLength: number;
  /** As its files store it, and in the order of BITS. */
  readonly tokensPerRound: readonly number[];
}

/** Tokens per round, with as many drafts in each as the drafter can make. */
export async function drafterBits({ load, prompts, maxTokens }: BitsOptions): Promise<BitsResult> {
  const tokensPerRound: number[] = [];
  let draftLength = 0;
  for (const bits of [undefined, ...BITS]) {
    const engine = await load(bits);
    try {
      draftLength = engine.maxDraftTokens;
      let [tokens, rounds] = [0, 0];
      for (const prompt of prompts)
        for (const { stats } of (await decodeAll(engine, prompt, { maxTokens }, ['full'])).values()) {
          tokens += stats.roundTokens;
          rounds += stats.rounds;
        }
      tokensPerRound.push(tokens / rounds);
    } finally {
      await engine.dispose();
    }
  }
  return { draftLength, tokensPerRound };
}
