// The log-probabilities of a prompt's own tokens, for requests that echo their prompt: reads it anew, a few rows at a
// time, as every row goes through the output head. Keeps nothing.
import type { DeviceName } from '../../models/mlx/device';
import { dispose, evaluate, giveTurns, scope } from '../../models/mlx/memory';
import type { TargetModel } from '../../models/decoder/target';
import { tokenArray } from '../../models/mlx/tokenArray';
import { DecodeMemory } from './decodeMemory';
import { turn } from '../scheduler';
import { QueuePlace } from '../request/queuePlace';
import { tokenLogprobs } from '../sampling/processRow';
import { readRows } from '../sampling/readRows';
import type { TokenLogprobs } from '../sampling/sampler';
import { samplingOf } from '../request/sampling';

export interface PromptLogprobsRequest {
  /** How many of the most probable tokens to tell at each position. */
  readonly count: number;
  readonly place?: QueuePlace | undefined;
  /** Rejects with its reason when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** Rows per pass: the logits of each are as many as the vocabulary has tokens. */
const CHUNK = 16;
/** Enough that the rest of a row is rarely read. */
const LARGEST = 16;

/** One entry for each token after the first, which nothing precedes. `promptIds` are checked by the caller. */
export async function promptLogprobs(
  target: TargetModel,
  device: DeviceName,
  promptIds: readonly number[],
  { count, place = new QueuePlace(), signal }: PromptLogprobsRequest,
): Promise<TokenLogprobs[]> {
  const sampling = samplingOf({ logprobs: count });
  const memory = DecodeMemory.empty(target, [], promptIds.length);
  const logprobs: TokenLogprobs[] = [];
  try {
    while (logprobs.length < promptIds.length - 1) {
      signal?.throwIfAborted();
      const from = logprobs.length;
      const chunk = promptIds.slice(from, Math.min(from + CHUNK, promptIds.length - 1));
      const next = promptIds.slice(from + 1, from + 1 + chunk.length);
      const release = await turn(place, device);
      try {
        const pending = scope(() => {
          const ids = tokenArray(chunk, target.config.vocabSize);
          const { hidden } = target.forward(ids, memory.caches, []);
          const named = next.map((token) => [token]);
          return readRows(target.logits(hidden), { largest: LARGEST + count, named, temperatures: [1] });
        });
        await evaluate(pending, memory.arrays());
        for (const [row, known] of pending.read().entries())
          logprobs.push(tokenLogprobs(next[row] ?? 0, known, new Map(), sampling));
        dispose(pending);
      } finally {
        release();
      }
      await giveTurns();
    }
    return logprobs;
  } finally {
    memory.dispose();
  }
}
