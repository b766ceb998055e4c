// The most probable token of the bare logits, chosen on the device: only its id is read.
import type { MxArray } from '../../models/mlxCore';
import * as mx from '../../models/ops';
import { acceptMatching } from '../accept';
import type { Pending, Sampler } from './sampler';

export const greedySampler: Sampler = {
  drawsDrafts: false,

  judge(logits, { tokens }) {
    const { arrays, read } = bestTokens(logits);
    return {
      arrays,
      read: () => {
        const best = read();
        return acceptMatching(tokens, (row) => best[row] ?? 0);
      },
    };
  },

  pick(logits) {
    const { arrays, read } = bestTokens(logits);
    return { arrays, read: () => ({ tokens: read() }) };
  },
};

function bestTokens(logits: MxArray): Pending<readonly number[]> {
  const best = mx.reshape(mx.argmax(logits), -1);
  return { arrays: { best }, read: () => mx.numbers(best) };
}
