// Reads weights as numbers: tensors of a made-up checkpoint go through a file and the native reader, and come back as
// the values that a model would compute with.
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import type { Device } from '../../server/models/mlx/device';
import type { Linear } from '../../server/models/mlx/linear';
import { scope } from '../../server/models/mlx/memory';
import { Weights, type WeightsOptions } from '../../server/models/checkpoint/weights';
import { identity, valuesOf } from './arrayValues';
import { writeCheckpoint, type Checkpoint } from './tinyCheckpoint';

/** Loads a checkpoint, lets `use` read from it, and frees it. */
export async function readWeights<T>(
  checkpoint: Checkpoint,
  device: Device,
  use: (weights: Weights) => T,
  extraOptions: Pick<WeightsOptions, 'prefixes' | 'onNote'> = {},
): Promise<T> {
  const fields = new ConfigFields('config.json', checkpoint.config);
  const options = { directory: writeCheckpoint(checkpoint), fields, device, ...extraOptions };
  const [result, weights] = await Weights.load(options, (opened) => [use(opened), opened] as const);
  weights.dispose();
  return result;
}

/** Returns the [out, in] matrix of a linear layer, row by row. */
export function matrixOf(linear: Linear, outFeatures: number): number[] {
  const { weights } = linear;
  const packedInputs = 'scales' in weights ? (weights.scales.shape[1] ?? 0) * weights.groupSize : 0;
  const inFeatures = 'transposed' in weights ? (weights.transposed.shape[0] ?? 0) : packedInputs;
  const transposed = scope(() => valuesOf(linear.forward(identity(inFeatures))));
  return Array.from({ length: outFeatures * inFeatures }, (_, i) => {
    const [row, column] = [Math.floor(i / inFeatures), i % inFeatures];
    return transposed[column * outFeatures + row] ?? NaN;
  });
}
