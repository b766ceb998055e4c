// A hybrid as a whole: gated delta layers with attention in between, on what all of them share. The family brings the
// configuration and the feed-forward parts.
import type { FeedForward } from '../decoderBlock';
import { DecoderStack, type ModelSource } from '../decoderStack';
import { LayerPositions } from '../layerPositions';
import { newRope } from '../rope';
import type { TargetModel } from '../target';
import type { Weights } from '../weights';
import { HybridBlock } from './block';
import type { HybridConfig } from './config';
import { GatedAttention } from './gatedAttention';
import { GatedDeltaNet } from './gatedDeltaNet';
import { readLayout } from './layout';
import { BlockMasks } from './solveLower';

/** Takes the tensors under `path` for the feed-forward part of the layer of that index. */
export type LoadFeedForward = (weights: Weights, path: string, index: number) => FeedForward;

/** Parts of the checkpoints that are no part of the decoder: what reads images, and what predicts further tokens. */
const OTHERS = /^(.*\.)?(mtp|visual|vision_tower)\./;

export async function loadHybrid(
  source: ModelSource,
  config: HybridConfig,
  loadFeedForward: LoadFeedForward,
): Promise<TargetModel> {
  const { directory, device } = source;
  const { prefix, root, normOffset } = readLayout(directory);
  const located = { ...source, prefixes: [prefix], root, ignored: OTHERS };
  return await DecoderStack.loadLayers(located, { ...config, normOffset }, (weights) => {
    const rules = { maskForm: 'native', dtype: device.dtype } as const;
    const positions = new LayerPositions(newRope(config.rope, device, weights), rules);
    const masks = BlockMasks.load(weights);
    return (path, index) => {
      const mixer = config.isAttention[index]
        ? GatedAttention.load(weights, `${path}.self_attn`, config, positions, device)
        : GatedDeltaNet.load(weights, `${path}.linear_attn`, config, masks, device);
      const mlp = loadFeedForward(weights, `${path}.mlp`, index);
      return HybridBlock.load(weights, path, config, { mixer, mlp });
    };
  });
}
