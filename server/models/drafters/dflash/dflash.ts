// DFlash, the block-diffusion drafter with z-lab semantics: a block is the anchor and masks
// behind it, and each row predicts the token at its own position. What it sees of a decode are the target's taps. The
// second generation adds convolutions, a candidate selector, and three scalars.
import { softCap } from '../../decoder/attention';
import { loadBackbone, loadWeights } from '../blockDrafter/backbone';
import { blockDrafter, type BlockNetwork } from '../blockDrafter/blockDrafter';
import type { Drafter, DrafterFiles, Selector } from '../drafter';
import type { Device } from '../../mlx/device';
import type { Embedding } from '../../decoder/linear';
import * as mx from '../../mlx/ops';
import type { TargetConfig } from '../../decoder/target';
import { tokenArray } from '../../mlx/tokenArray';
import type { Weights } from '../../checkpoint/weights';
import { parseDFlashConfig, type DFlashConfig } from './dflashConfig';

export async function loadDFlash(files: DrafterFiles, target: TargetConfig): Promise<Drafter> {
  const config = parseDFlashConfig(files.fields, target);
  const network = await loadWeights(files, (weights) => dflashNetwork(weights, config, target, files.device));
  const { blockSize, minBlockSize } = config;
  return blockDrafter({ name: 'dflash', maxDraftTokens: blockSize - 1, minBlockSize }, config, network);
}

function dflashNetwork(
  weights: Weights,
  config: DFlashConfig,
  target: TargetConfig,
  device: Device,
): BlockNetwork {
  const { maskTokenId, minBlockSize, inputEmbeddingScale: scale } = config;
  const { vocabSize } = target;
  const backbone = loadBackbone(weights, config, target, device);
  const selector = config.selector && candidateSelector(weights, config.selector, target);
  return {
    backbone,
    propose(count, { target, anchor, contexts, condition }) {
      // Most drafters were trained on full blocks only, and lose most of their acceptance in a narrower one.
      const masks = Math.max(count, minBlockSize - 1);
      const block = [anchor, ...Array<number>(masks).fill(maskTokenId)];
      const embedded = target.embed(tokenArray(block, vocabSize));
      const rows = scale === undefined ? embedded : mx.multiply(embedded, scale);
      const h = backbone.forward(rows, contexts, condition);
      // Row 0 is the anchor's own; rows that nobody asked for never reach the head.
      const states = backbone.normed(mx.slice(h, 1, 1, 1 + count));
      const logits = mx.add(scaled(target.logits(states), config), backbone.penalty);
      return { logits, selector: selector?.(anchor, states) };
    },
    dispose: () => {
      weights.dispose();
    },
  };
}

/** In float32: a cap brings logits so close together that fewer bits would make them ties. */
function scaled(
  logits: mx.MxArray,
  { outputMultiplier, finalLogitSoftcapping: cap }: DFlashConfig,
): mx.MxArray {
  if (outputMultiplier === undefined && cap === undefined) return logits;
  return softCap(mx.multiply(mx.astype(logits, mx.float32), outputMultiplier ?? 1), cap);
}

/**
 * Chooses among the drafts of rows with `states`, [1, rows, hidden] after the final norm, that follow `anchor`. The rows
 * of a block do not see each other's drafts, so two that are each likely may not go together: it tells which of them do.
 */
type CandidateSelector = (anchor: number, states: mx.MxArray) => Selector;

function candidateSelector(
  weights: Weights,
  { rank, topK }: NonNullable<DFlashConfig['selector']>,
  { vocabSize, hiddenSize }: TargetConfig,
): CandidateSelector {
  const path = 'candidate_selector';
  // What each token looks for in its successor, and what each offers its predecessor: [vocabSize, rank].
  const predecessors = weights.embedding(`${path}.predecessor_codebook`, vocabSize, rank);
  const successors = weights.embedding(`${path}.successor_codebook`, vocabSize, rank);
  const hiddenProjection = weights.linear(`${path}.hidden_projection`, rank, hiddenSize);
  /** <predecessor[before] · (W state), successor[token]> */
  const gains = (anchor: number, states: mx.MxArray, ids: mx.MxArray): mx.MxArray => {
    const [rows = 0, count = 0] = ids.shape;
    const anchors = tokenArray(Array<number>(count).fill(anchor), vocabSize);
    const tokens = mx.reshape(mx.astype(ids, mx.int32), -1);
    const before = mx.slice(mx.concatenate([anchors, tokens], 0), 0, 0, rows * count);
    const rowsOf = (table: Embedding, of: mx.MxArray): mx.MxArray =>
      mx.reshape(table.embed(of), rows, count, rank);
    const wanted = mx.reshape(hiddenProjection.forward(states), rows, 1, rank);
    const asked = mx.multiply(rowsOf(predecessors, before), wanted);
    return mx.matmul(asked, mx.transpose(rowsOf(successors, tokens), 0, 2, 1));
  };
  return (anchor, states) => ({ candidates: topK, gains: (ids) => gains(anchor, states, ids) });
}
