// DSpark, the drafter of DeepSpec: a block is the anchor and the masks after it, and each
// row predicts the next token. A sequential head tells each row the draft before it.
import { softCap } from '../../decoder/attention';
import { loadBackbone, loadWeights } from '../blockDrafter/backbone';
import { blockDrafter, type BlockNetwork, type BlockPlace } from '../blockDrafter/blockDrafter';
import type { ConfigFields } from '../../checkpoint/configFields';
import type { LoadDrafter } from '../drafter';
import type { ModelFiles, TargetConfig } from '../../decoder/target';
import * as mx from '../../mlx/ops';
import { outputHead } from '../../decoder/decoderStack';
import { tokenArray } from '../../mlx/tokenArray';
import type { Weights } from '../../checkpoint/weights';
import type { DSparkConfig } from './dsparkConfig';
import { loadTables, sharedTables } from './ownTables';
import { loadSequentialHead } from './sequentialHead';

/** A family of DSpark drafters, whose configuration `parse` reads. */
export function dsparkDrafter(
  parse: (fields: ConfigFields, target: TargetConfig, directory: string) => DSparkConfig,
): LoadDrafter {
  return async (files, target, tables) => {
    const config = parse(files.fields, target, files.directory);
    const shared = await sharedTables(files, { ...config, vocabSize: target.vocabSize }, tables);
    const network = await loadWeights(files, (weights) =>
      dsparkNetwork(weights, config, target, files, shared),
    );
    return blockDrafter({ name: 'dspark', maxDraftTokens: config.blockSize }, config, network);
  };
}

function dsparkNetwork(
  weights: Weights,
  config: DSparkConfig,
  target: TargetConfig,
  { device }: ModelFiles,
  shared: readonly string[],
): BlockNetwork {
  const { vocabSize } = target;
  const { blockSize, maskTokenId, embeddingScale, finalLogitSoftcapping: cap } = config;
  const backbone = loadBackbone(weights, config, target, device);
  const sequentialHead = loadSequentialHead(weights, config, vocabSize);
  const { table, head } = loadTables(weights, { ...config, vocabSize }, shared);
  const own = head && outputHead(weights, head);

  const embed = (place: BlockPlace, block: mx.MxArray): mx.MxArray => {
    if (table === undefined) return place.target.embed(block);
    const rows = table.embed(block);
    return embeddingScale === undefined ? rows : mx.multiply(rows, embeddingScale);
  };
  const logitsOf = (place: BlockPlace, states: mx.MxArray): mx.MxArray =>
    own ? softCap(own(states), cap) : place.target.logits(states);

  return {
    backbone,
    propose(count, place) {
      // It was trained on whole blocks. Rows that nobody asked for never reach the head.
      const block = [place.anchor, ...Array<number>(blockSize - 1).fill(maskTokenId)];
      const embedded = embed(place, tokenArray(block, vocabSize));
      const h = backbone.forward(embedded, place.contexts, place.condition);
      const states = backbone.normed(mx.slice(h, 1, 0, count));
      const logits = mx.add(logitsOf(place, states), backbone.penalty);
      if (sequentialHead === undefined) return { logits };
      return sequentialHead(tokenArray([place.anchor], vocabSize), { states, logits });
    },
    dispose: () => {
      weights.dispose();
    },
  };
}
