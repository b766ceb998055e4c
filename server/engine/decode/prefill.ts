// How prompts are read: what is not in memory yet (below), and, for requests that echo their prompt, all of it anew for
// the log-probabilities of its own tokens: a few rows at a time, as every row goes through the output head. Of the
// latter nothing is kept.
import type { DeviceName } from '../../models/mlx/device';
import { dispose, evaluate, giveTurns, scope } from '../../models/mlx/memory';
import type { TargetModel, TargetConfig } from '../../models/decoder/target';
import { tokenArray } from '../../models/mlx/tokenArray';
import { DecodeMemory } from './decodeMemory';
import { turn } from '../scheduler';
import { QueuePlace } from '../request/queuePlace';
import { tokenLogprobs } from '../sampling/processRow';
import { readRows } from '../sampling/readRows';
import type { TokenLogprobs, Sampler } from '../sampling/sampler';
import { samplingOf } from '../request/sampling';
import * as mx from '../../models/mlx/ops';
import type { DecodeChunk } from './decode';
import { NO_DRAFT } from './draft';
import type { StopCriteria } from '../stopCriteria';

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

// Reads the part of a prompt that is not in memory yet, chunk by chunk. Knows nothing of drafts.

/** Rows per pass: large enough for full speed, small enough to be cancelled quickly. */
const ROWS = 256;
/** Where a pass of so many rows costs a GPU next to nothing, more of them save calls, up to the most. */
const GPU_WORK = 2 ** 35;
const MOST_ROWS = 2048;

/**
 * By the device and the size of the network alone, so that a prompt is always read in the same passes. Not more where
 * passes are not taken back whole, as in hybrids, whose graphs grow with the rows.
 */
export function chunkRows(config: TargetConfig, device: DeviceName): number {
  if (device === 'cpu' || config.maxBlockSize !== undefined) return ROWS;
  const work = config.numHiddenLayers * config.hiddenSize ** 2;
  return Math.min(MOST_ROWS, Math.max(ROWS, 2 ** Math.floor(Math.log2(GPU_WORK / work))));
}

/** Reads the next `rows`; the last of them yields the first token of the output, the others nothing. */
export async function prefill(
  memory: DecodeMemory,
  promptIds: readonly number[],
  rows: number,
  sampler: Sampler,
  stop: StopCriteria,
): Promise<DecodeChunk | undefined> {
  const { target } = memory;
  const from = memory.length;
  const chunk = promptIds.slice(from, from + rows);
  const targetRows = scope(() => {
    const ids = tokenArray(chunk, target.config.vocabSize);
    const { hidden, taps } = target.forward(ids, memory.caches, memory.taps);
    memory.commit(chunk, taps);
    // Only the last chunk reaches the head, and only with its last row.
    if (from + chunk.length < promptIds.length) return undefined;
    const last = mx.slice(hidden, 1, chunk.length - 1, chunk.length);
    return sampler.verify(target.logits(last), NO_DRAFT, { history: promptIds, position: 0 });
  });
  await evaluate(targetRows, memory.arrays());
  if (!targetRows) return undefined;
  try {
    const { tokenAt, logprobsAt } = targetRows.read();
    const token = tokenAt(0);
    const logprobs = logprobsAt && [logprobsAt(0, token)];
    return { ...stop.append([token]), logprobs };
  } finally {
    dispose(targetRows);
  }
}
