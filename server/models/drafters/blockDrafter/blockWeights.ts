// Opens the weights of a block drafter: all of them for its network, or some of them before the network is read.
import { Weights } from '../../checkpoint/weights';
import type { DrafterFiles } from '../drafter';

/** Possible prefixes of all tensor names: some exporters wrap the drafter in a module. */
const PREFIXES = ['', 'model.'];
/** Modules to repack. Norms, small heads, convolutions and the projection of the taps stay as stored. */
const REPACKED = /^(layers\.\d+\.(self_attn|mlp)\.|embed_tokens$|lm_head$)/;

/** Opens the weights of a drafter and builds a network from them, repacked into `files.bits` if that is given. */
export async function loadBlockWeights<T>(files: DrafterFiles, build: (weights: Weights) => T): Promise<T> {
  const { bits } = files;
  const repacking = bits === undefined ? undefined : { bits, modules: REPACKED };
  return await Weights.load({ ...files, prefixes: PREFIXES, repacking }, build);
}

/** Takes some weights as stored, before the network is read; calls `use` with them, and frees them. */
export async function useSomeWeights<T, R>(
  files: DrafterFiles,
  take: (weights: Weights) => T,
  use: (taken: T) => R | Promise<R>,
): Promise<R> {
  const { weights, taken } = await Weights.load({ ...files, prefixes: PREFIXES }, (opened) => {
    const part = { weights: opened, taken: take(opened) };
    // The other tensors are read with the network.
    opened.ignore(/^/);
    return part;
  });
  try {
    return await use(taken);
  } finally {
    weights.dispose();
  }
}
