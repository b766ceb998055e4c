// Qwen3 with experts: the layers of Qwen3, most of them with a mixture of experts in place of the MLP.
import { DecoderBlock } from '../decoderBlock';
import { DecoderStack } from '../decoderStack';
import { GatedMlp } from '../layers';
import { isSparse } from '../sparseConfig';
import { SparseMlp } from '../sparseMlp';
import type { LoadTarget } from '../target';
import { parseQwen3MoeConfig } from './config';

export const loadQwen3Moe: LoadTarget = async (directory, fields, device, onProgress) => {
  const config = parseQwen3MoeConfig(directory, fields);
  return await DecoderStack.load(
    { directory, fields, device, onProgress },
    config,
    (weights, path, layer) => {
      const mlp = isSparse(config, layer)
        ? SparseMlp.load(weights, `${path}.mlp`, config)
        : GatedMlp.load(weights, `${path}.mlp`, config);
      return DecoderBlock.load(weights, path, config, mlp);
    },
  );
};
