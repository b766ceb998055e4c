// DSpark, the drafter of DeepSpec: a block is the anchor followed by masks, and each row predicts the next token. A
// sequential head conditions each row on the draft before it.
import { Backbone } from '../blockDrafter/backbone';
import { blockDrafter, type BlockNetwork } from '../blockDrafter/blockDrafter';
import { loadBlockWeights } from '../blockDrafter/blockWeights';
import { loadEmbeddingAndHead, readTableFacts, type TableFacts } from '../blockDrafter/embeddingAndHead';
import type { ConfigFields } from '../../checkpoint/configFields';
import type { Weights } from '../../checkpoint/weights';
import type { TargetConfig } from '../../decoder/target';
import * as mx from '../../mlx/ops';
import { tokenArray } from '../../mlx/tokenArray';
import type { LoadDrafter } from '../drafter';
import type { DSparkConfig } from './dsparkConfig';
import { loadSequentialHead } from './sequentialHead';

/** Creates the loader for the DSpark drafters of a family, whose configuration `parse` reads. */
export function dsparkDrafter(
  parse: (fields: ConfigFields, target: TargetConfig) => DSparkConfig,
): LoadDrafter {
  return async (files, target) => {
    const config = parse(files.fields, target);
    const facts = await readTableFacts(files, config, target);
    const network = await loadBlockWeights(files, (weights) => dsparkNetwork(weights, config, target, facts));
    return blockDrafter('dspark', config, network);
  };
}

function dsparkNetwork(
  weights: Weights,
  config: DSparkConfig,
  targetConfig: TargetConfig,
  facts: TableFacts,
): BlockNetwork {
  const { blockSize, firstRow, maskTokenId } = config;
  const { vocabSize } = targetConfig;
  const backbone = new Backbone(weights, config, targetConfig);
  const tables = loadEmbeddingAndHead(weights, config, targetConfig, facts);
  const sequentialHead = loadSequentialHead(weights, config, targetConfig, tables);
  return {
    backbone,
    propose(count, { target, anchor, contexts, projectedTaps }) {
      // Always a whole block, as in training; rows that were not requested skip the head.
      const block = [anchor, ...Array<number>(blockSize - 1).fill(maskTokenId)];
      const h = backbone.forward(tables.embed(block, target), contexts, projectedTaps);
      const states = backbone.normed(mx.slice(h, 1, firstRow, firstRow + count));
      const logits = tables.logits(states, target);
      if (sequentialHead === undefined) return { logits: tables.toTarget(logits) };
      return sequentialHead(tokenArray([anchor], vocabSize), { states, logits });
    },
    dispose: () => {
      weights.dispose();
    },
  };
}
