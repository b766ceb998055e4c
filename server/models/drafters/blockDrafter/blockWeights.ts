// Opens the weights of a block drafter.
import { Weights } from '../../checkpoint/weights';
import type { DrafterFiles } from '../drafter';

/** Possible prefixes of all tensor names: some exporters wrap the drafter in a module. */
export const PREFIXES = ['', 'model.'];
/** Modules to repack. Norms, small heads, convolutions and the projection of the taps stay as stored. */
const REPACKED = /^(layers\.\d+\.(self_attn|mlp)\.|embed_tokens$|lm_head$)/;

/** Opens the weights of a drafter and builds a network from them, repacked into `files.bits` if that is given. */
export async function loadBlockWeights<T>(files: DrafterFiles, build: (weights: Weights) => T): Promise<T> {
  const { bits } = files;
  const repacking = bits === undefined ? undefined : { bits, modules: REPACKED };
  return await Weights.load({ ...files, prefixes: PREFIXES, repacking }, build);
}
