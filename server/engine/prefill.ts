// Reads the part of a prompt that is not in memory yet, chunk by chunk. Knows nothing of drafts.
import { dispose, evaluate, scope } from '../models/memory';
import * as mx from '../models/ops';
import { tokenArray } from '../models/tokenArray';
import type { DecodeChunk } from './decode';
import type { DecodeMemory } from './decodeMemory';
import { NO_DRAFT } from './draft';
import type { Ending } from './ending';
import type { Sampler } from './sampling/sampler';

/** Rows per pass: large enough for full speed, small enough to be cancelled quickly (node-mlx.md 6). */
const CHUNK = 256;

/** Reads the next chunk; the last one yields the first token of the output, the others nothing. */
export async function prefill(
  memory: DecodeMemory,
  promptIds: readonly number[],
  sampler: Sampler,
  ending: Ending,
): Promise<DecodeChunk | undefined> {
  const { target } = memory;
  const from = memory.length;
  const chunk = promptIds.slice(from, from + CHUNK);
  const judged = scope(() => {
    const ids = tokenArray(chunk, target.config.vocabSize);
    const { hidden, taps } = target.forward(ids, memory.caches, memory.taps);
    memory.commit(chunk, taps);
    // Only the last chunk reaches the head, and only with its last row.
    if (from + chunk.length < promptIds.length) return undefined;
    const last = mx.slice(hidden, 1, chunk.length - 1, chunk.length);
    return sampler.judge(target.logits(last), NO_DRAFT, { history: promptIds, position: 0 });
  });
  await evaluate(judged, memory.arrays());
  if (!judged) return undefined;
  const { tokenAt, logprobsAt } = judged.read();
  const token = tokenAt(0);
  const logprobs = logprobsAt && [logprobsAt(0, token)];
  dispose(judged);
  return { ...ending.take([token]), logprobs };
}
