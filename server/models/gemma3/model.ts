// Gemma 3, its text part: layers normed before and after, norms per head, most layers with a window and a rotation
// of their own.
import { DecoderStack } from '../decoderStack';
import { SandwichBlock } from '../sandwichBlock';
import { Shards } from '../shards';
import type { LoadTarget } from '../target';
import { findTextPart } from '../textPart';
import { parseGemma3Config } from './config';

const IMAGE_PART = /^(model\.)?(vision_tower|multi_modal_projector)\./;

export const loadGemma3: LoadTarget = async (directory, fields, device, onProgress) => {
  const config = parseGemma3Config(directory, fields);
  const { prefix, root } = findTextPart([...new Shards(directory).tensors.keys()]);
  const place = { directory, fields, device, onProgress };
  const source = { ...place, prefixes: [prefix], root, ignored: IMAGE_PART };
  return await DecoderStack.load(source, config, (weights, path) =>
    SandwichBlock.load(weights, path, config),
  );
};
