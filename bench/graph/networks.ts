// The networks whose graphs are built: as many layers as a model of four billion parameters has, packed as such models
// are published, and so narrow that arithmetic takes next to no time.
import { networksOf } from '../families/networks';
import type { CheckpointPlan } from '../families/randomCheckpoint';

export const NETWORKS = ['dense', 'mixture', 'hybrid'] as const;
export type NetworkName = (typeof NETWORKS)[number];

export const LAYERS = 36;
const [GROUP_SIZE, BITS] = [64, 4];
const WORD_BITS = 32;
/** What exporters leave in 16 bits. */
const DENSE = 'conv1d';

const plans = networksOf({
  layers: LAYERS,
  hidden: 256,
  vocabulary: 1024,
  heads: 4,
  groups: 2,
  headDim: 64,
  denseWidth: 256,
  experts: 4,
  visited: 2,
  expertWidth: 256,
  deltaKeys: 2,
  deltaValues: 4,
  deltaDim: 64,
});

/** In the layout of mlx-community: words, scales and biases in place of each matrix. */
export function packedNetwork(name: NetworkName): CheckpointPlan {
  const { config, shapes } = plans[name];
  const words = new Set<string>();
  const packed = Object.entries(shapes).flatMap(([tensor, shape]): [string, readonly number[]][] => {
    const [inputs = 1, rows] = [shape.at(-1), shape.slice(0, -1)];
    if (rows.length === 0 || tensor.includes(DENSE)) return [[tensor, shape]];
    const module = tensor.replace(/\.weight$/, '');
    words.add(tensor);
    return [
      [tensor, [...rows, (inputs * BITS) / WORD_BITS]],
      [`${module}.scales`, [...rows, inputs / GROUP_SIZE]],
      [`${module}.biases`, [...rows, inputs / GROUP_SIZE]],
    ];
  });
  const quantization = { group_size: GROUP_SIZE, bits: BITS };
  return { config: { ...config, quantization }, shapes: Object.fromEntries(packed), words };
}
