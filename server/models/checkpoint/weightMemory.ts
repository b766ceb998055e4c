// The memory that the weights of a checkpoint need, and whether it is free: a failed allocation inside MLX never returns
// on a CPU.
import { freemem } from 'node:os';
import { formatSize } from '../../rules/formatNumber';
import { WrongValue } from '../../rules/userError';
import { totalMemory } from '../../machine/thisMachine';
import { bufferCache } from '../mlx/bufferCache';
import type { Device } from '../mlx/device';
import { hasKernel, WORD_BITS } from './packedWeights';
import type { Quantisation } from './quantisation';
import type { TensorInfo } from './safetensors';
import type { Shards } from './shards';

/**
 * Matches the name of a tensor of a single expert, and captures the path of the layer's experts. The experts of a layer
 * are stacked when they are loaded.
 */
const SINGLE_EXPERT = /^(.*\.experts)\.\d+\./;

/** Throws UserError if the weights do not fit into memory. */
export function requireMemory(
  { tensors, directory }: Shards,
  quantisation: Quantisation,
  device: Device,
): void {
  let needed = 0;
  let unpacking = 0;
  const singleExperts = new Map<string, number>();
  for (const [name, tensor] of tensors) {
    const bytes = loadedBytes(name, tensor, quantisation, device);
    needed += bytes;
    unpacking = Math.max(unpacking, unpackingBytes(name, tensor, quantisation));
    const layer = SINGLE_EXPERT.exec(name)?.[1];
    if (layer !== undefined) singleExperts.set(layer, (singleExperts.get(layer) ?? 0) + bytes);
  }
  // Layers are loaded one after the other, and the experts of a layer take twice their memory while they are stacked.
  needed += unpacking + Math.max(0, ...singleExperts.values());
  const available = availableBytes(device);
  if (needed < available) return;
  throw new WrongValue({
    expected: `${formatSize(needed)} of free memory for the weights of ${directory}`,
    got: formatSize(available),
    remedy: 'close other programs or choose a smaller model',
  });
}

/**
 * Returns the bytes available for weights: on a GPU the rest of its working set, if that is known; otherwise the free
 * memory, or all memory on macOS, which counts only untouched pages as free. In a container, at most its limit.
 */
function availableBytes({ name }: Device): number {
  const left = name === 'gpu' ? bufferCache?.freeBytes : undefined;
  return left ?? Math.min(totalMemory(), process.platform === 'darwin' ? Infinity : freemem());
}

/** Returns the bytes of a tensor in the form that the device needs. */
function loadedBytes(
  name: string,
  { dtype, shape }: TensorInfo,
  quantisation: Quantisation,
  device: Device,
): number {
  const items = shape.reduce((product, n) => product * n, 1);
  if (dtype !== 'U32') return items * device.dtype.size;
  const bits = quantisation(name.replace(/\.weight$/, ''))?.bits ?? WORD_BITS;
  if (device.keepsQuantised && (bits === WORD_BITS || hasKernel(bits))) return items * (WORD_BITS / 8);
  return items * (WORD_BITS / bits) * device.dtype.size;
}

/** Returns the bytes needed while weights without a kernel are expanded: two 32-bit words per weight. */
function unpackingBytes(name: string, { dtype, shape }: TensorInfo, quantisation: Quantisation): number {
  const bits = quantisation(name.replace(/\.weight$/, ''))?.bits;
  if (dtype !== 'U32' || bits === undefined || hasKernel(bits)) return 0;
  return shape.reduce((product, n) => product * n, 1) * (WORD_BITS / bits) * (2 * (WORD_BITS / 8));
}
