// DFlash, the block-diffusion drafter of z-lab: a block is the anchor followed by masks, and each row predicts the
// token at its own position. It sees the text through the target's taps. DFlash 2 adds convolutions, a candidate
// selector and three scalars.
import { Backbone } from '../blockDrafter/backbone';
import { blockDrafter, type BlockNetwork } from '../blockDrafter/blockDrafter';
import { loadBlockWeights } from '../blockDrafter/blockWeights';
import { loadEmbeddingAndHead, readTableFacts, type TableFacts } from '../blockDrafter/embeddingAndHead';
import type { Weights } from '../../checkpoint/weights';
import { softCap } from '../../decoder/outputHead';
import type { TargetConfig } from '../../decoder/target';
import * as mx from '../../mlx/ops';
import type { Drafter, DrafterFiles } from '../drafter';
import { candidateSelector } from './candidateSelector';
import { parseDFlashConfig, type DFlashConfig } from './dflashConfig';

/** Loads a drafter of either generation. Throws UserError if it does not fit the target. */
export async function loadDFlash(files: DrafterFiles, target: TargetConfig): Promise<Drafter> {
  const config = parseDFlashConfig(files.fields, target);
  const facts = await readTableFacts(files, tableConfig(config), target);
  const network = await loadBlockWeights(files, (weights) => dflashNetwork(weights, config, target, facts));
  return blockDrafter('dflash', config, network, config.minBlockSize);
}

/** Returns the config of the drafter's own tables, which have no scalars: those of DFlash 2 apply to the block only. */
function tableConfig(config: DFlashConfig) {
  return { ...config, embeddingScale: undefined, finalLogitSoftcapping: undefined };
}

function dflashNetwork(
  weights: Weights,
  config: DFlashConfig,
  targetConfig: TargetConfig,
  facts: TableFacts,
): BlockNetwork {
  const { firstRow, maskTokenId, minBlockSize, inputEmbeddingScale: scale } = config;
  const backbone = new Backbone(weights, config, targetConfig);
  const tables = loadEmbeddingAndHead(weights, tableConfig(config), targetConfig, facts);
  const selector = config.selector && candidateSelector(weights, config.selector, targetConfig);
  return {
    backbone,
    propose(count, { target, anchor, contexts, projectedTaps }) {
      // Most drafters were trained on full blocks only; in a narrower block they lose most of their acceptance.
      const masks = Math.max(count + firstRow, minBlockSize) - 1;
      const embedded = tables.embed([anchor, ...Array<number>(masks).fill(maskTokenId)], target);
      const rows = scale === undefined ? embedded : mx.multiply(embedded, scale);
      const h = backbone.forward(rows, contexts, projectedTaps);
      // Rows that were not requested skip the head.
      const states = backbone.normed(mx.slice(h, 1, firstRow, firstRow + count));
      const logits = tables.toTarget(scaled(tables.logits(states, target), config));
      return { logits, selector: selector?.(anchor, states) };
    },
    dispose: () => {
      weights.dispose();
    },
  };
}

/** Scales and caps float32 logits: a cap moves them so close together that 16 bits would make ties. */
function scaled(
  logits: mx.MxArray,
  { outputMultiplier, finalLogitSoftcapping: cap }: DFlashConfig,
): mx.MxArray {
  if (outputMultiplier === undefined && cap === undefined) return logits;
  return softCap(mx.multiply(logits, outputMultiplier ?? 1), cap);
}
