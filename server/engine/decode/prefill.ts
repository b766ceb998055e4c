// Prefill: reads the part of a prompt that is not in memory yet, chunk by chunk, into the target's caches and the
// drafters' contexts.
import type { DeviceName } from '../../models/mlx/device';
import { dispose, scope } from '../../models/mlx/memory';
import { evaluate } from '../../models/mlx/evaluation';
import type { TargetConfig } from '../../models/decoder/target';
import { tokenArray } from '../../models/mlx/tokenArray';
import * as mx from '../../models/mlx/ops';
import type { Sampler } from '../sampling/sampler';
import type { StopCriteria } from '../stopCriteria';
import type { DecodeChunk } from './decode';
import type { DecodeMemory } from './decodeMemory';
import { NO_DRAFT } from './draft';

/** Rows per pass on a CPU, and minimum on a GPU: enough for full speed, few enough to be cancelled quickly. */
const MIN_CHUNK_ROWS = 256;
/**
 * Work of a GPU pass, in multiply-adds if each layer had one square matrix: small networks read more rows per pass to
 * reach it, as each pass costs extra time.
 */
const GPU_PASS_WORK = 2 ** 35;
const MAX_CHUNK_ROWS = 2048;

/**
 * Returns the rows of one pass. They depend on the device and the network alone, so that a prompt without a cached
 * start is always read in the same passes. Passes of hybrid models, which have a `maxBlockSize`, stay short: their
 * caches can forget only the last rows of a pass, and their graphs grow with its rows.
 */
export function prefillChunkRows(config: TargetConfig, device: DeviceName): number {
  if (device === 'cpu' || config.maxBlockSize !== undefined) return MIN_CHUNK_ROWS;
  const workPerRow = config.numHiddenLayers * config.hiddenSize ** 2;
  const rows = 2 ** Math.floor(Math.log2(GPU_PASS_WORK / workPerRow));
  return Math.min(MAX_CHUNK_ROWS, Math.max(MIN_CHUNK_ROWS, rows));
}

/** One prefill pass over the next rows of a prompt. */
interface PrefillStep {
  /** Memory of the rows read so far, which the pass extends. */
  readonly memory: DecodeMemory;
  readonly promptIds: readonly number[];
  /** Maximum number of rows to read. */
  readonly rows: number;
}

/** Reads the next rows. The last pass returns the first token of the output, earlier ones return undefined. */
export async function prefill(
  { memory, promptIds, rows }: PrefillStep,
  sampler: Sampler,
  stop: StopCriteria,
): Promise<DecodeChunk | undefined> {
  const { target } = memory;
  const from = memory.length;
  const chunk = promptIds.slice(from, from + rows);
  const targetRows = scope(() => {
    const { hidden, taps } = target.forward(
      tokenArray(chunk, target.config.vocabSize),
      memory.caches,
      memory.taps,
    );
    memory.commit(chunk, taps);
    // Only the last row of the last chunk goes through the output head.
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
