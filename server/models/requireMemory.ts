// Whether the weights of a checkpoint fit into what memory is free, known from the headers of its files.
// Reads no tensor.
import { freemem, totalmem } from 'node:os';
import { InputError } from '../inputError';
import { formatSize } from '../rules/format';
import type { Device } from './device';
import type { Quantisation } from './quantisation';
import type { Shards, StoredTensor } from './shards';

const WORD_BITS = 32;
/** One of the experts of a layer, which are stacked at load. */
const SINGLE_EXPERT = /^(.*\.experts)\.\d+\./;

/** An allocation that fails inside MLX never returns on the CPU. Throws InputError when the weights do not fit. */
export function requireMemory(
  { directory, tensors }: Shards,
  quantisation: Quantisation,
  device: Device,
): void {
  let needed = 0;
  const singleExperts = new Map<string, number>();
  for (const [name, tensor] of tensors) {
    const bytes = loadedBytes(name, tensor, quantisation, device);
    needed += bytes;
    const layer = SINGLE_EXPERT.exec(name)?.[1];
    if (layer !== undefined) singleExperts.set(layer, (singleExperts.get(layer) ?? 0) + bytes);
  }
  // Layers are loaded one after the other, and the experts of one are there twice while they are stacked.
  needed += Math.max(0, ...singleExperts.values());
  // macOS reports only untouched pages as free.
  const available = process.platform === 'darwin' ? totalmem() : freemem();
  if (needed < available) return;
  throw new InputError({
    expected: `${formatSize(needed)} of free memory for the weights of ${directory}`,
    got: formatSize(available),
    remedy: 'close other programs or choose a smaller model',
  });
}

function loadedBytes(
  name: string,
  { dtype, shape }: StoredTensor,
  quantisation: Quantisation,
  device: Device,
): number {
  const items = shape.reduce((product, n) => product * n, 1);
  if (dtype !== 'U32') return items * device.dtype.size;
  if (device.keepsQuantised) return items * 4;
  const bits = quantisation(name.replace(/\.weight$/, ''))?.bits ?? WORD_BITS;
  return items * (WORD_BITS / bits) * device.dtype.size;
}
