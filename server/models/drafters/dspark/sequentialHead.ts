// The heads of DSpark that run row by row: the Markov head conditions each row on the previous draft, and the
// confidence head estimates how likely its draft is to be accepted. All steps form one lazy graph.
import type { ProposedChain } from '../drafter';
import type { TargetConfig } from '../../decoder/target';
import type { Weights } from '../../checkpoint/weights';
import * as mx from '../../mlx/ops';
import type { EmbeddingAndHead } from '../blockDrafter/embeddingAndHead';
import type { DSparkConfig } from './dsparkConfig';
import { headPath, loadMarkovHead, type MarkovHead, type MarkovStep } from './markovHead';

interface BlockRows {
  /** Rows after the final norm, [1, rows, hiddenSize]. */
  readonly states: mx.MxArray;
  /** Their logits before the Markov head, [1, rows, draftVocabSize]. */
  readonly logits: mx.MxArray;
}

/** Proposes the drafts of a block after `anchor`, a token id as an array [1]. */
export type SequentialHead = (anchor: mx.MxArray, rows: BlockRows) => ProposedChain;

/** Loads the heads that the checkpoint has; undefined if it has none. */
export function loadSequentialHead(
  weights: Weights,
  config: DSparkConfig,
  { vocabSize }: TargetConfig,
  { toTarget }: EmbeddingAndHead,
): SequentialHead | undefined {
  const markov = loadMarkovHead(weights, config, vocabSize);
  const confidence = loadConfidence(weights, config, markov);
  if (!markov && !confidence) return undefined;
  return (anchor, { states, logits }) => ({
    draft: (choose) => {
      const steps = markov?.begin();
      let token = anchor;
      const logConfidence = Array.from({ length: states.shape[1] ?? 0 }, (_, row) => {
        const state = mx.slice(states, 1, row, row + 1);
        const plainLogits = mx.slice(logits, 1, row, row + 1);
        const step = steps?.(state, token);
        const rowLogits = toTarget(step ? mx.add(plainLogits, step.gain) : plainLogits);
        token = choose(rowLogits, row);
        return confidence ? confidence(state, step) : mx.topLogProbability(rowLogits);
      });
      return mx.reshape(mx.concatenate(logConfidence, 1), -1);
    },
  });
}

/** Returns the logarithm [1, 1] of the probability that the draft of a row is accepted, without knowing that draft. */
type Confidence = (state: mx.MxArray, step: MarkovStep | undefined) => mx.MxArray;

function loadConfidence(
  weights: Weights,
  { confidenceWithMarkov, hiddenSize }: DSparkConfig,
  markov: MarkovHead | undefined,
): Confidence | undefined {
  const path = `${headPath(weights, 'confidence_head')}.proj`;
  if (!weights.hasModule(path)) return undefined;
  const widthWithMarkov = hiddenSize + (markov?.rank ?? 0);
  // If the config does not say, the shape of the tensor does.
  const withMarkov = confidenceWithMarkov ?? weights.shapeOf(`${path}.weight`)?.[1] !== hiddenSize;
  const proj = weights.linear(path, 1, withMarkov ? widthWithMarkov : hiddenSize, { bias: true });
  return (state, step) => {
    const seen = withMarkov && step ? mx.concatenate([state, step.embedding], 2) : state;
    const logit = mx.reshape(mx.astype(proj.forward(seen), mx.float32), 1, 1);
    // log(sigmoid(x)) = -softplus(-x)
    return mx.multiply(mx.softplus(mx.multiply(logit, -1)), -1);
  };
}
