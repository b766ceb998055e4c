// The Markov head of DSpark: what the logits of a row gain from the draft before it. Its
// tables are small and stay as they are stored.
import type { Linear } from '../../decoder/linear';
import * as mx from '../../mlx/ops';
import type { Weights } from '../../checkpoint/weights';
import type { MarkovConfig } from './dsparkConfig';

export interface MarkovStep {
  /** Added to the logits of the row, [1, 1, vocabSize]. */
  readonly gain: mx.MxArray;
  /** What the head knows of the token before, [1, 1, rank]. */
  readonly embedding: mx.MxArray;
}

/** To be called for each row in turn: its `state` [1, 1, hiddenSize], and the token [1] before it. Lazy. */
export type MarkovSteps = (state: mx.MxArray, before: mx.MxArray) => MarkovStep;

export interface MarkovHead {
  /** Begins a block. */
  readonly steps: () => MarkovSteps;
}

interface HeadSizes {
  readonly hiddenSize: number;
  readonly vocabSize: number;
}

/** Takes the tensors under `path`. */
export function loadMarkovHead(
  weights: Weights,
  path: string,
  { type, rank }: MarkovConfig,
  { hiddenSize, vocabSize }: HeadSizes,
): MarkovHead {
  const before = weights.embedding(`${path}.markov_w1`, vocabSize, rank);
  const after = weights.linear(`${path}.markov_w2`, vocabSize, rank);
  const biased = { bias: true };
  switch (type) {
    case 'vanilla':
      return {
        steps: () => (_, token) => {
          const embedding = before.embed(token);
          return { embedding, gain: after.forward(embedding) };
        },
      };
    case 'gated': {
      const gate = weights.linear(`${path}.gate_proj`, rank, hiddenSize + rank, biased);
      return {
        steps: () => (state, token) => {
          const embedding = before.embed(token);
          const open = mx.sigmoid(gate.forward(mx.concatenate([state, embedding], 2)));
          return { embedding, gain: after.forward(mx.multiply(open, embedding)) };
        },
      };
    }
    case 'rnn': {
      const joint = weights.linear(`${path}.joint_proj`, 3 * rank, 2 * rank + hiddenSize, biased);
      return { steps: () => recurrentSteps(before.embed.bind(before), joint, after, rank) };
    }
  }
}

/** The gated memory of all drafts of the block. */
function recurrentSteps(
  embed: (token: mx.MxArray) => mx.MxArray,
  joint: Linear,
  after: Linear,
  rank: number,
): MarkovSteps {
  let memory: mx.MxArray | undefined;
  return (state, token) => {
    const embedding = embed(token);
    memory ??= mx.zeros([1, 1, rank], embedding.dtype);
    const parts = joint.forward(mx.concatenate([memory, embedding, state], 2));
    const part = (i: number): mx.MxArray => mx.slice(parts, 2, i * rank, (i + 1) * rank);
    const kept = mx.sigmoid(part(0));
    const candidate = mx.tanh(part(1));
    // kept · memory + (1 - kept) · candidate
    memory = mx.add(candidate, mx.multiply(kept, mx.subtract(memory, candidate)));
    return { embedding, gain: after.forward(mx.tanh(part(2))) };
  };
}
