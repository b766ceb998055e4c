// Mistral: the Llama shape without biases.
import { DecoderBlock } from '../decoderBlock';
import { DecoderStack } from '../decoderStack';
import { GatedMlp } from '../layers';
import type { LoadTarget } from '../target';
import { parseMistralConfig } from './config';

export const loadMistral: LoadTarget = async (directory, fields, device, onProgress) => {
  const config = parseMistralConfig(directory, fields);
  return await DecoderStack.load({ directory, fields, device, onProgress }, config, (weights, path) =>
    DecoderBlock.load(weights, path, config, GatedMlp.load(weights, `${path}.mlp`, config)),
  );
};
