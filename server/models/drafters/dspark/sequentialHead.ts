// The heads of DSpark that run row by row: each row gets to know the drafts before it, and how likely its own draft is
// to stay. All steps are one lazy graph.
import type { ProposedChain } from '../drafter';
import * as mx from '../../mlx/ops';
import type { Weights } from '../../checkpoint/weights';
import type { DSparkConfig } from './dsparkConfig';
import { loadMarkovHead, type MarkovStep } from './markovHead';

/** A block after the final norm, [1, rows, hiddenSize], and its bare logits, [1, rows, vocabSize]. */
interface BlockRows {
  readonly states: mx.MxArray;
  readonly logits: mx.MxArray;
}

/** The drafts of a block behind `anchor`, an id as an array [1]. */
export type SequentialHead = (anchor: mx.MxArray, rows: BlockRows) => ProposedChain;

/** Undefined if the drafter has neither of the two heads. */
export function loadSequentialHead(
  weights: Weights,
  config: DSparkConfig,
  vocabSize: number,
): SequentialHead | undefined {
  const { markov, hiddenSize } = config;
  const sizes = { hiddenSize, vocabSize };
  const markovHead = markov && loadMarkovHead(weights, headPath(weights, 'markov_head'), markov, sizes);
  const confidence = loadConfidence(weights, config);
  if (!markovHead && !confidence) return undefined;
  return (anchor, { states, logits }) => ({
    draft: (choose) => {
      const steps = markovHead?.steps();
      let token = anchor;
      const sure = Array.from({ length: states.shape[1] ?? 0 }, (_, row) => {
        const [state, bare] = [mx.slice(states, 1, row, row + 1), mx.slice(logits, 1, row, row + 1)];
        const step = steps?.(state, token);
        const gained = step ? mx.add(bare, step.gain) : bare;
        token = choose(gained, row);
        return confidence ? confidence(state, step) : mx.topLogProbability(gained);
      });
      return mx.reshape(mx.concatenate(sure, 1), -1);
    },
  });
}

/** SpecForge puts both heads into a module. */
function headPath(weights: Weights, name: string): string {
  return weights.hasModule(`logit_head.${name}`) ? `logit_head.${name}` : name;
}

/** The logarithm [1, 1] of how likely the draft of a row is to stay, by what was known before it was drawn. */
type Confidence = (state: mx.MxArray, step: MarkovStep | undefined) => mx.MxArray;

function loadConfidence(
  weights: Weights,
  { confidence, markov, hiddenSize }: DSparkConfig,
): Confidence | undefined {
  if (confidence === undefined) return undefined;
  const width = hiddenSize + (confidence.withMarkov ? (markov?.rank ?? 0) : 0);
  const path = `${headPath(weights, 'confidence_head')}.proj`;
  const proj = weights.linear(path, 1, width, { bias: true });
  return (state, step) => {
    const seen = confidence.withMarkov && step ? mx.concatenate([state, step.embedding], 2) : state;
    const odds = mx.reshape(mx.astype(proj.forward(seen), mx.float32), 1, 1);
    return mx.multiply(mx.softplus(mx.multiply(odds, -1)), -1);
  };
}
