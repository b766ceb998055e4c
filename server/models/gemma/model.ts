// Gemma of the first generation: the Llama shape with a GELU gate, norms stored less 1 and scaled embeddings.
import { DecoderBlock } from '../decoderBlock';
import { DecoderStack } from '../decoderStack';
import { GatedMlp } from '../layers';
import type { LoadTarget } from '../target';
import { parseGemmaConfig } from './config';

export const loadGemma: LoadTarget = async (directory, fields, device, onProgress) => {
  const config = parseGemmaConfig(directory, fields);
  return await DecoderStack.load({ directory, fields, device, onProgress }, config, (weights, path) =>
    DecoderBlock.load(weights, path, config, GatedMlp.load(weights, `${path}.mlp`, config)),
  );
};
