// Dense Qwen2 and Qwen2.5, tied or untied: the Llama shape with biases on queries, keys and values.
import { DecoderBlock } from '../decoderBlock';
import { DecoderStack } from '../decoderStack';
import { GatedMlp } from '../layers';
import type { LoadTarget } from '../target';
import { parseQwen2Config } from './config';

export const loadQwen2: LoadTarget = async (directory, fields, device, onProgress) => {
  const config = parseQwen2Config(directory, fields);
  return await DecoderStack.load({ directory, fields, device, onProgress }, config, (weights, path) =>
    DecoderBlock.load(weights, path, config, GatedMlp.load(weights, `${path}.mlp`, config)),
  );
};
