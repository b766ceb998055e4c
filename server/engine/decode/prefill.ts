// Reads the part of a prompt that is not in memory yet, chunk by chunk. Knows nothing of drafts.
import type { DeviceName } from '../../models/mlx/device';
import { dispose, evaluate, scope } from '../../models/mlx/memory';
import * as mx from '../../models/mlx/ops';
import type { TargetConfig } from '../../models/decoder/target';
import { tokenArray } from '../../models/mlx/tokenArray';
import type { DecodeChunk } from './decode';
import type { DecodeMemory } from './decodeMemory';
import { NO_DRAFT } from './draft';
import type { StopCriteria } from '../stopCriteria';
import type { Sampler } from '../sampling/sampler';

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
