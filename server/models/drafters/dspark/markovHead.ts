// The Markov head of DSpark: raises or lowers the logits of a row by the draft before it, through tables of low rank.
import type { Weights } from '../../checkpoint/weights';
import type { Embedding, Linear } from '../../decoder/linear';
import * as mx from '../../mlx/ops';
import { MARKOV_HEADS, type DSparkConfig, type MarkovType } from './dsparkConfig';

export interface MarkovStep {
  /** Added to the logits of the row, [1, 1, drafted tokens]. */
  readonly gain: mx.MxArray;
  /** Row of the token before in the first table, [1, 1, rank]. */
  readonly embedding: mx.MxArray;
}

/** Called for each row in turn, with its state [1, 1, hiddenSize] and the token [1] before it. Lazy. */
type MarkovSteps = (state: mx.MxArray, before: mx.MxArray) => MarkovStep;

export interface MarkovHead {
  /** Width of its tables. */
  readonly rank: number;
  /** Begins a block. */
  readonly begin: () => MarkovSteps;
}

/** SpecForge puts the heads into a module. */
export function headPath(weights: Weights, name: string): string {
  return weights.hasModule(`logit_head.${name}`) ? `logit_head.${name}` : name;
}

/** Undefined without its tensors. The file decides the type, or else the tensors that only one type has. */
export function loadMarkovHead(
  weights: Weights,
  { markov, hiddenSize, draftVocabSize }: DSparkConfig,
  vocabSize: number,
): MarkovHead | undefined {
  const path = headPath(weights, 'markov_head');
  if (!weights.hasModule(path)) return undefined;
  const rank = markov.rank ?? weights.shapeOf(`${path}.markov_w1.weight`)?.[1] ?? 1;
  const before = weights.embedding(`${path}.markov_w1`, vocabSize, rank);
  const after = weights.linear(`${path}.markov_w2`, draftVocabSize, rank);
  const [gate, joint] = [`${path}.gate_proj`, `${path}.joint_proj`];
  const biased = { bias: true };
  switch (markov.type ?? typeOfTensors(weights, { gate, joint })) {
    case 'vanilla':
      return { rank, begin: () => vanillaStep(before, after) };
    case 'gated':
      return {
        rank,
        begin: gatedSteps(weights.linear(gate, rank, hiddenSize + rank, biased), before, after),
      };
    case 'rnn': {
      const proj = weights.linear(joint, 3 * rank, 2 * rank + hiddenSize, biased);
      return { rank, begin: () => recurrentSteps(before, proj, after, rank) };
    }
  }
}

function typeOfTensors(weights: Weights, paths: Readonly<Record<'gate' | 'joint', string>>): MarkovType {
  if (weights.hasModule(paths.gate)) return 'gated';
  return weights.hasModule(paths.joint) ? 'rnn' : MARKOV_HEADS[0];
}

function vanillaStep(before: Embedding, after: Linear): MarkovSteps {
  return (_, token) => {
    const embedding = before.embed(token);
    return { embedding, gain: after.forward(embedding) };
  };
}

function gatedSteps(gate: Linear, before: Embedding, after: Linear): () => MarkovSteps {
  return () => (state, token) => {
    const embedding = before.embed(token);
    const open = mx.sigmoid(gate.forward(mx.concatenate([state, embedding], 2)));
    return { embedding, gain: after.forward(mx.multiply(open, embedding)) };
  };
}

/** Has a gated memory of all drafts of the block. */
function recurrentSteps(before: Embedding, joint: Linear, after: Linear, rank: number): MarkovSteps {
  let memory: mx.MxArray | undefined;
  return (state, token) => {
    const embedding = before.embed(token);
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
