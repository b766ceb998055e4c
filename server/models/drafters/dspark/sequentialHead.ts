// The heads of DSpark that run row by row: the Markov head shows each row the draft before it, and the confidence head says
// how likely its own draft is to be accepted. All steps are one lazy graph. The tables are small and stay as stored.
import type { ProposedChain } from '../drafter';
import type { TargetConfig } from '../../decoder/target';
import type { Weights } from '../../checkpoint/weights';
import * as mx from '../../mlx/ops';
import type { BlockEnds } from '../blockDrafter/blockEnds';
import type { DSparkConfig } from './dsparkConfig';
import { headPath, loadMarkovHead, type MarkovHead, type MarkovStep } from './markovHead';

/** A block after the final norm, [1, rows, hiddenSize], and its bare logits, [1, rows, drafted tokens]. */
interface BlockRows {
  readonly states: mx.MxArray;
  readonly logits: mx.MxArray;
}

/** The drafts of a block after `anchor`, an id as an array [1]. */
export type SequentialHead = (anchor: mx.MxArray, rows: BlockRows) => ProposedChain;

/** Takes the heads whose tensors are there. Undefined if there is neither. */
export function loadSequentialHead(
  weights: Weights,
  config: DSparkConfig,
  { vocabSize }: TargetConfig,
  { toTarget }: BlockEnds,
): SequentialHead | undefined {
  const markov = loadMarkovHead(weights, config, vocabSize);
  const confidence = loadConfidence(weights, config, markov);
  if (!markov && !confidence) return undefined;
  return (anchor, { states, logits }) => ({
    draft: (choose) => {
      const steps = markov?.begin();
      let token = anchor;
      const sure = Array.from({ length: states.shape[1] ?? 0 }, (_, row) => {
        const [state, bare] = [mx.slice(states, 1, row, row + 1), mx.slice(logits, 1, row, row + 1)];
        const step = steps?.(state, token);
        const gained = step ? mx.add(bare, step.gain) : bare;
        const whole = toTarget(gained);
        token = choose(whole, row);
        return confidence ? confidence(state, step) : mx.topLogProbability(whole);
      });
      return mx.reshape(mx.concatenate(sure, 1), -1);
    },
  });
}

/** Logarithm [1, 1] of the probability that the draft of a row is accepted, known before it is drawn. */
type Confidence = (state: mx.MxArray, step: MarkovStep | undefined) => mx.MxArray;

function loadConfidence(
  weights: Weights,
  { confidenceWithMarkov, hiddenSize }: DSparkConfig,
  markov: MarkovHead | undefined,
): Confidence | undefined {
  const path = `${headPath(weights, 'confidence_head')}.proj`;
  if (!weights.hasModule(path)) return undefined;
  const widest = hiddenSize + (markov?.rank ?? 0);
  // Where the file does not say, its tensor does.
  const withMarkov = confidenceWithMarkov ?? weights.shapeOf(`${path}.weight`)?.[1] !== hiddenSize;
  const proj = weights.linear(path, 1, withMarkov ? widest : hiddenSize, { bias: true });
  return (state, step) => {
    const seen = withMarkov && step ? mx.concatenate([state, step.embedding], 2) : state;
    const odds = mx.reshape(mx.astype(proj.forward(seen), mx.float32), 1, 1);
    return mx.multiply(mx.softplus(mx.multiply(odds, -1)), -1);
  };
}
