// The experts that Gemma 4 has beside the MLP of each layer. Router and experts see the same rows as the MLP, but
// before their norm.
import { loadNorm, type BlockParts, type BlockSizes, type FeedForward } from './decoderBlock';
import { loadExperts, type ExpertPaths, type ExpertSizes } from './experts';
import { largest, valuesAt } from '../mlx/gather';
import * as mx from '../mlx/ops';
import type { Weights } from '../checkpoint/weights';

type Sizes = ExpertSizes & BlockSizes;

/** The feed-forward parts of the layer at `path`, which has the MLP `mlp`: the output of each has its own norm. */
export function besideExperts(
  weights: Weights,
  path: string,
  sizes: Sizes,
  mlp: FeedForward,
): { readonly feedForward: FeedForward } & Pick<BlockParts, 'beside'> {
  const norm = (name: string) => loadNorm(weights, `${path}.${name}`, sizes);
  const after = norm('post_feedforward_layernorm_1');
  const [before, afterExperts] = [norm('pre_feedforward_layernorm_2'), norm('post_feedforward_layernorm_2')];
  const route = loadRouter(weights, `${path}.router`, sizes);
  const mixOf = loadExperts(weights, expertPaths(weights, path), sizes);
  return {
    feedForward: { forward: (x) => after(mlp.forward(x)) },
    beside: (rows) => afterExperts(mixOf(before(rows), route(rows))),
  };
}

/** Stacked by mlx-lm, or with gate and up in one tensor, as published. */
function expertPaths(weights: Weights, path: string): ExpertPaths {
  const stacked = `${path}.experts.switch_glu`;
  return weights.hasModule(stacked) ? { stacked } : { fused: `${path}.experts` };
}

/** The shares of the best experts add up to 1; each is then multiplied by the scale of its expert. */
function loadRouter(weights: Weights, path: string, sizes: Sizes) {
  const { hiddenSize, numExperts, numExpertsPerTok: k, rmsNormEps } = sizes;
  // A norm without weights followed by this scale is a norm with this scale as its weights.
  const scale = weights.tensor(`${path}.scale`, [hiddenSize], (stored) =>
    mx.multiply(stored, hiddenSize ** -0.5),
  );
  const proj = weights.linear(`${path}.proj`, numExperts, hiddenSize);
  const expertScale = weights.tensor(`${path}.per_expert_scale`, [numExperts], (stored) => stored);
  return (x: mx.MxArray) => {
    const rows = mx.rmsNorm(mx.reshape(x, -1, hiddenSize), mx.astype(scale, x.dtype), rmsNormEps);
    const logits = mx.astype(proj.forward(rows), mx.float32);
    const choices = largest(logits, k);
    const scales = mx.reshape(mx.take(expertScale, mx.reshape(choices, -1)), -1, k);
    return { choices, shares: mx.multiply(mx.softmax(valuesAt(logits, choices)), scales) };
  };
}
