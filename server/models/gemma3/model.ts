// Gemma 3, its text part: layers normed before and after, norms per head, most layers with a window and a rotation
// of their own.
import { DecoderStack } from '../decoderStack';
import { SandwichBlock } from '../sandwichBlock';
import type { LoadTarget } from '../target';
import { parseGemma3Config } from './config';

export const loadGemma3: LoadTarget = async (directory, fields, device, onProgress) => {
  const config = parseGemma3Config(directory, fields);
  const source = {
    directory,
    fields,
    device,
    onProgress,
    prefixes: ['', 'language_model.'],
    ignored: /^(vision_tower|multi_modal_projector)\./,
  };
  return await DecoderStack.load(source, config, (weights, path) =>
    SandwichBlock.load(weights, path, config),
  );
};
