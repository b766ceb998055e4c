// Llama 2 and 3, tied or untied, with or without biases: the shape that gave the others their names.
import { DecoderBlock } from '../decoderBlock';
import { DecoderStack } from '../decoderStack';
import { GatedMlp } from '../layers';
import type { LoadTarget } from '../target';
import { parseLlamaConfig } from './config';

export const loadLlama: LoadTarget = async (directory, fields, device, onProgress) => {
  const config = parseLlamaConfig(directory, fields);
  return await DecoderStack.load({ directory, fields, device, onProgress }, config, (weights, path) =>
    DecoderBlock.load(weights, path, config, GatedMlp.load(weights, `${path}.mlp`, config)),
  );
};
