// The Markov head of DSpark: adjusts the logits of a row by the draft before it, through tables of low rank.
import type { Weights } from '../../checkpoint/weights';
import type { Embedding, Linear } from '../../mlx/linear';
import * as mx from '../../mlx/ops';
import { MARKOV_HEADS, type DSparkConfig, type MarkovType } from './dsparkConfig';

export interface MarkovStep {
  /** Gain to add to the logits of the row, [1, 1, draftVocabSize]. */
  readonly gain: mx.MxArray;
  /** Embedding of the previous token in the first table, [1, 1, rank]. */
  readonly embedding: mx.MxArray;
}

/** Computes one row from its state [1, 1, hiddenSize] and the previous token [1]; called for each row in turn. Lazy. */
type MarkovSteps = (state: mx.MxArray, previous: mx.MxArray) => MarkovStep;

export interface MarkovHead {
  /** Width of its tables. */
  readonly rank: number;
  /** Starts a block. */
  readonly begin: () => MarkovSteps;
}

/** Returns the path of a head, which SpecForge nests in a module. */
export function headPath(weights: Weights, name: string): string {
  return weights.hasModule(`logit_head.${name}`) ? `logit_head.${name}` : name;
}

/** Loads the head; undefined if the checkpoint has none. Without a type in the config, its tensors decide. */
export function loadMarkovHead(
  weights: Weights,
  { markov, hiddenSize, draftVocabSize }: DSparkConfig,
  vocabSize: number,
): MarkovHead | undefined {
  const path = headPath(weights, 'markov_head');
  if (!weights.hasModule(path)) return undefined;
  const rank = markov.rank ?? weights.shapeOf(`${path}.markov_w1.weight`)?.[1] ?? 1;
  const table = weights.embedding(`${path}.markov_w1`, vocabSize, rank);
  const output = weights.linear(`${path}.markov_w2`, draftVocabSize, rank);
  const gate = `${path}.gate_proj`;
  const joint = `${path}.joint_proj`;
  const biased = { bias: true };
  switch (markov.type ?? typeOfTensors(weights, gate, joint)) {
    case 'vanilla':
      return { rank, begin: () => vanillaSteps(table, output) };
    case 'gated': {
      const proj = weights.linear(gate, rank, hiddenSize + rank, biased);
      return { rank, begin: () => gatedSteps(table, proj, output) };
    }
    case 'rnn': {
      const proj = weights.linear(joint, 3 * rank, 2 * rank + hiddenSize, biased);
      return { rank, begin: () => recurrentSteps(table, proj, output, rank) };
    }
  }
}

/** Returns the type of the head by the modules that it has: a gate, or the joint projection of a recurrent head. */
function typeOfTensors(weights: Weights, gate: string, joint: string): MarkovType {
  if (weights.hasModule(gate)) return 'gated';
  return weights.hasModule(joint) ? 'rnn' : MARKOV_HEADS[0];
}

function vanillaSteps(table: Embedding, output: Linear): MarkovSteps {
  return (_, token) => {
    const embedding = table.embed(token);
    return { embedding, gain: output.forward(embedding) };
  };
}

function gatedSteps(table: Embedding, gate: Linear, output: Linear): MarkovSteps {
  return (state, token) => {
    const embedding = table.embed(token);
    const share = mx.sigmoid(gate.forward(mx.concatenate([state, embedding], 2)));
    return { embedding, gain: output.forward(mx.multiply(share, embedding)) };
  };
}

/** Keeps a gated memory of all drafts of the block. */
function recurrentSteps(table: Embedding, joint: Linear, output: Linear, rank: number): MarkovSteps {
  let memory: mx.MxArray | undefined;
  return (state, token) => {
    const embedding = table.embed(token);
    memory ??= mx.zeros([1, 1, rank], embedding.dtype);
    const parts = joint.forward(mx.concatenate([memory, embedding, state], 2));
    const part = (i: number): mx.MxArray => mx.slice(parts, 2, i * rank, (i + 1) * rank);
    const kept = mx.sigmoid(part(0));
    const candidate = mx.tanh(part(1));
    // kept · memory + (1 - kept) · candidate
    memory = mx.add(candidate, mx.multiply(kept, mx.subtract(memory, candidate)));
    return { embedding, gain: output.forward(mx.tanh(part(2))) };
  };
}
