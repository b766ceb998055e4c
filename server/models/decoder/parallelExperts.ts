// The experts in parallel to the MLP of each layer in Gemma 4: router and experts read the same rows as the MLP, before
// its norm.
import { loadNorm, type BlockSizes, type FeedForward, type FeedForwardParts } from './decoderBlock';
import { loadExperts, type ExpertSizes } from './experts';
import * as mx from '../mlx/ops';
import type { Weights } from '../checkpoint/weights';

type Sizes = ExpertSizes & BlockSizes;

/** Adds experts to the `mlp` of the layer at `path`. The output of each part has its own norm. */
export function withParallelExperts(
  weights: Weights,
  path: string,
  sizes: Sizes,
  mlp: FeedForward,
): FeedForwardParts {
  const norm = (name: string) => loadNorm(weights, `${path}.${name}`, sizes);
  const after = norm('post_feedforward_layernorm_1');
  const before = norm('pre_feedforward_layernorm_2');
  const afterExperts = norm('post_feedforward_layernorm_2');
  const route = loadRouter(weights, `${path}.router`, sizes);
  const mix = loadExperts(weights, `${path}.experts`, `${path}.experts.switch_glu`, sizes);
  return {
    feedForward: (x) => after(mlp(x)),
    parallel: (rows) => afterExperts(mix(before(rows), route(rows))),
  };
}

/**
 * Loads the router. The shares of the chosen experts add up to 1; each is then multiplied by the scale of its expert.
 */
function loadRouter(weights: Weights, path: string, sizes: Sizes) {
  const { hiddenSize, numExperts, numExpertsPerTok: k, rmsNormEps } = sizes;
  // Gemma 4 applies a norm without weights and then this scale; a norm with the scale as weights does both.
  const scale = weights.tensor(`${path}.scale`, [hiddenSize], (stored) =>
    mx.multiply(stored, hiddenSize ** -0.5),
  );
  const proj = weights.linear(`${path}.proj`, numExperts, hiddenSize);
  const expertScale = weights.tensor(`${path}.per_expert_scale`, [numExperts], (stored) => stored);
  return (x: mx.MxArray) => {
    const rows = mx.rmsNorm(mx.reshape(x, -1, hiddenSize), mx.astype(scale, x.dtype), rmsNormEps);
    const logits = mx.astype(proj.forward(rows), mx.float32);
    const choices = mx.largestIndices(logits, k);
    const scales = mx.reshape(mx.take(expertScale, mx.reshape(choices, -1)), -1, k);
    return { choices, shares: mx.multiply(mx.softmax(mx.takeAlongAxis(logits, choices)), scales) };
  };
}
