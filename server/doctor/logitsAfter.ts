// What a target says after a text, as logits.
import { DecodeMemory } from '../engine/decode/decodeMemory';
import { commit, verify } from '../engine/decode/round';
import { Stopwatch } from '../engine/decode/roundStart';
import { greedySampler } from '../engine/sampling/greedySampler';
import type { Sampler } from '../engine/sampling/sampler';
import * as mx from '../models/mlx/ops';
import type { TargetModel } from '../models/decoder/target';

/** The logits [vocabSize] after a text, which is read in one pass. */
export async function logitsAfter(target: TargetModel, text: readonly number[]): Promise<number[]> {
  const memory = DecodeMemory.empty(target, [], text.length);
  const sampler = listening(target.config.vocabSize);
  try {
    const at = { history: text, position: 0 };
    const start = { memory, unread: text, sampler, at, watch: new Stopwatch() };
    const verified = await verify(start, { tokens: [] });
    verified.judged.read();
    commit(start, verified, 1);
    return sampler.heard[0] ?? [];
  } finally {
    memory.dispose();
  }
}

/** Hears the logits of each row. */
function listening(vocabSize: number): Sampler & { readonly heard: readonly number[][] } {
  let heard: number[][] = [];
  return {
    ...greedySampler,
    judge(logits) {
      const values = mx.reshape(logits, -1, vocabSize);
      return {
        arrays: { values },
        read: () => {
          heard = mx.rows(values);
          return { tokenAt: () => 0 };
        },
      };
    },
    get heard() {
      return heard;
    },
  };
}
