// DSpark, the drafter of DeepSpec: a block is the anchor and the masks after it, and each
// row predicts the next token. A sequential head tells each row the draft before it.
import { softCap } from '../../decoder/attention';
import { loadBackbone, loadWeights } from '../blockDrafter/backbone';
import { blockDrafter, type BlockNetwork, type BlockPlace } from '../blockDrafter/blockDrafter';
import type { ConfigFields } from '../../checkpoint/configFields';
import type { LoadDrafter, ProposedChain } from '../drafter';
import type { TargetConfig } from '../../decoder/target';
import * as mx from '../../mlx/ops';
import { outputHead } from '../../decoder/decoderStack';
import { tokenArray } from '../../mlx/tokenArray';
import type { Weights } from '../../checkpoint/weights';
import type { DSparkConfig, MarkovConfig } from './dsparkConfig';
import { loadTables, sharedTables } from './ownTables';
import type { Embedding, Linear } from '../../decoder/linear';

/** A family of DSpark drafters, whose configuration `parse` reads. */
export function dsparkDrafter(
  parse: (fields: ConfigFields, target: TargetConfig) => DSparkConfig,
): LoadDrafter {
  return async (files, target) => {
    const config = parse(files.fields, target);
    const shared = await sharedTables(files, { ...config, vocabSize: target.vocabSize });
    const network = await loadWeights(files, (weights) => dsparkNetwork(weights, config, target, shared));
    return blockDrafter({ name: 'dspark', maxDraftTokens: config.blockSize }, config, network);
  };
}

function dsparkNetwork(
  weights: Weights,
  config: DSparkConfig,
  target: TargetConfig,
  shared: readonly string[],
): BlockNetwork {
  const { vocabSize } = target;
  const { blockSize, maskTokenId, embeddingScale, finalLogitSoftcapping: cap } = config;
  const backbone = loadBackbone(weights, config, target);
  const sequentialHead = loadSequentialHead(weights, config, vocabSize);
  const { table, head } = loadTables(weights, { ...config, vocabSize }, shared);
  const own = head && outputHead(weights, head);

  const embed = (place: BlockPlace, block: mx.MxArray): mx.MxArray => {
    if (table === undefined) return place.target.embed(block);
    const rows = table.embed(block);
    return embeddingScale === undefined ? rows : mx.multiply(rows, embeddingScale);
  };
  const logitsOf = (place: BlockPlace, states: mx.MxArray): mx.MxArray =>
    own ? softCap(own(states), cap) : place.target.logits(states);

  return {
    backbone,
    propose(count, place) {
      // It was trained on whole blocks. Rows that nobody asked for never reach the head.
      const block = [place.anchor, ...Array<number>(blockSize - 1).fill(maskTokenId)];
      const embedded = embed(place, tokenArray(block, vocabSize));
      const h = backbone.forward(embedded, place.contexts, place.condition);
      const states = backbone.normed(mx.slice(h, 1, 0, count));
      const logits = mx.add(logitsOf(place, states), backbone.penalty);
      if (sequentialHead === undefined) return { logits };
      return sequentialHead(tokenArray([place.anchor], vocabSize), { states, logits });
    },
    dispose: () => {
      weights.dispose();
    },
  };
}

// The heads of DSpark that run row by row: each row gets to know the draft before it, by the Markov head, and how likely
// its own draft is to stay. All steps are one lazy graph. The tables are small and stay as they are stored.

/** A block after the final norm, [1, rows, hiddenSize], and its bare logits, [1, rows, vocabSize]. */
interface BlockRows {
  readonly states: mx.MxArray;
  readonly logits: mx.MxArray;
}

/** The drafts of a block behind `anchor`, an id as an array [1]. */
export type SequentialHead = (anchor: mx.MxArray, rows: BlockRows) => ProposedChain;

/** Undefined if the drafter has neither of the two heads. */
function loadSequentialHead(
  weights: Weights,
  config: DSparkConfig,
  vocabSize: number,
): SequentialHead | undefined {
  const { markov, hiddenSize } = config;
  const beginMarkov = markov && loadMarkovHead(weights, markov, hiddenSize, vocabSize);
  const confidence = loadConfidence(weights, config);
  if (!beginMarkov && !confidence) return undefined;
  return (anchor, { states, logits }) => ({
    draft: (choose) => {
      const steps = beginMarkov?.();
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

/** What the logits of a row gain from the draft before it. */
interface MarkovStep {
  /** Added to the logits of the row, [1, 1, vocabSize]. */
  readonly gain: mx.MxArray;
  /** What the head knows of the token before, [1, 1, rank]. */
  readonly embedding: mx.MxArray;
}

/** To be called for each row in turn: its `state` [1, 1, hiddenSize], and the token [1] before it. Lazy. */
type MarkovSteps = (state: mx.MxArray, before: mx.MxArray) => MarkovStep;

/** What it returns begins a block. */
function loadMarkovHead(
  weights: Weights,
  { type, rank }: MarkovConfig,
  hiddenSize: number,
  vocabSize: number,
): () => MarkovSteps {
  const path = headPath(weights, 'markov_head');
  const before = weights.embedding(`${path}.markov_w1`, vocabSize, rank);
  const after = weights.linear(`${path}.markov_w2`, vocabSize, rank);
  const biased = { bias: true };
  switch (type) {
    case 'vanilla':
      return () => (_, token) => {
        const embedding = before.embed(token);
        return { embedding, gain: after.forward(embedding) };
      };
    case 'gated': {
      const gate = weights.linear(`${path}.gate_proj`, rank, hiddenSize + rank, biased);
      return () => (state, token) => {
        const embedding = before.embed(token);
        const open = mx.sigmoid(gate.forward(mx.concatenate([state, embedding], 2)));
        return { embedding, gain: after.forward(mx.multiply(open, embedding)) };
      };
    }
    case 'rnn': {
      const joint = weights.linear(`${path}.joint_proj`, 3 * rank, 2 * rank + hiddenSize, biased);
      return () => recurrentSteps(before, joint, after, rank);
    }
  }
}

/** The gated memory of all drafts of the block. */
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
