// A hybrid as a whole: gated delta layers with attention in between, on what all of them share. The family brings the
// projections of its gated delta layers.
import { DecoderStack, type ModelSource } from '../decoderStack';
import { LayerPositions } from '../layerPositions';
import { GatedMlp } from '../layers';
import { newRope } from '../rope';
import { isSparse } from '../sparseConfig';
import { SparseMlp } from '../sparseMlp';
import type { TargetModel } from '../target';
import { HybridBlock } from './block';
import { parseHybridConfig } from './config';
import { GatedAttention } from './gatedAttention';
import { GatedDeltaNet } from './gatedDeltaNet';
import { readLayout } from './layout';
import type { LoadProjections } from './projections';
import { BlockMasks, MAX_BLOCK } from './solveLower';

/** Parts of the checkpoints that are no part of the decoder: what reads images, and what predicts further tokens. */
const OTHERS = /^(.*\.)?(mtp|visual|vision_tower)\./;

export async function loadHybrid(
  source: ModelSource,
  loadProjections: LoadProjections,
): Promise<TargetModel> {
  const { directory, fields, device } = source;
  const { prefix, root, normOffset } = readLayout(directory);
  const config = { ...parseHybridConfig(directory, fields), normOffset, maxBlockSize: MAX_BLOCK };
  const located = { ...source, prefixes: [prefix], root, ignored: OTHERS };
  return await DecoderStack.loadLayers(located, config, (weights) => {
    const rules = { maskForm: 'native', dtype: device.dtype } as const;
    const positions = new LayerPositions(newRope(config.rope, device, weights), rules);
    const masks = BlockMasks.load(weights);
    return (path, index) => {
      const { isAttention, sparse } = config;
      const mixer = isAttention[index]
        ? GatedAttention.load(weights, `${path}.self_attn`, config, positions, device)
        : GatedDeltaNet.load(weights, `${path}.linear_attn`, config, { loadProjections, masks, device });
      const mlp =
        sparse && isSparse(sparse, index)
          ? SparseMlp.load(weights, `${path}.mlp`, sparse)
          : GatedMlp.load(weights, `${path}.mlp`, config);
      return HybridBlock.load(weights, path, config, { mixer, mlp });
    };
  });
}
