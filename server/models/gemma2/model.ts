// Gemma 2: layers normed before and after, scores and logits with a soft limit, every other layer with a window.
import { DecoderStack } from '../decoderStack';
import { SandwichBlock } from '../sandwichBlock';
import type { LoadTarget } from '../target';
import { parseGemma2Config } from './config';

export const loadGemma2: LoadTarget = async (directory, fields, device, onProgress) => {
  const config = parseGemma2Config(directory, fields);
  return await DecoderStack.load({ directory, fields, device, onProgress }, config, (weights, path) =>
    SandwichBlock.load(weights, path, config),
  );
};
