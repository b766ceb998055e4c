// Dense Qwen3, tied or untied: the Llama shape with a norm per head on queries and keys.
import { DecoderBlock } from '../decoderBlock';
import { DecoderStack } from '../decoderStack';
import { GatedMlp } from '../layers';
import type { LoadTarget } from '../target';
import { parseQwen3Config } from './config';

export const loadQwen3: LoadTarget = async (directory, fields, device, onProgress) => {
  const config = parseQwen3Config(directory, fields);
  return await DecoderStack.load({ directory, fields, device, onProgress }, config, (weights, path) =>
    DecoderBlock.load(weights, path, config, GatedMlp.load(weights, `${path}.mlp`, config)),
  );
};
