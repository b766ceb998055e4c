// DSpark, the drafter of DeepSpec (speculative-decoding.md C): the anchor and masks behind it are a block, each of whose
// rows predicts the next token, and a small sequential head lets a row know the draft before it.
import { softCap } from '../attention';
import { loadBackbone, loadWeights } from '../blockDrafter/backbone';
import { blockDrafter, type BlockNetwork, type BlockPlace } from '../blockDrafter/blockDrafter';
import type { ConfigFields } from '../configFields';
import type { LoadDrafter, Proposal } from '../drafter';
import type { ModelFiles, TargetConfig } from '../target';
import * as mx from '../ops';
import { tokenArray } from '../tokenArray';
import type { Weights } from '../weights';
import type { DSparkConfig } from './dsparkConfig';
import { loadMarkovHead, type MarkovStep } from './markovHead';
import { loadTables, sharedTables } from './ownTables';

/** A family of DSpark drafters, whose configuration `parse` reads. */
export function dsparkDrafter(
  parse: (fields: ConfigFields, target: TargetConfig, directory: string) => DSparkConfig,
): LoadDrafter {
  return async (files, target, tables) => {
    const config = parse(files.fields, target, files.directory);
    const sizes = { ...target, tieWordEmbeddings: config.tieWordEmbeddings };
    const shared = await sharedTables(files, sizes, tables);
    const network = await loadWeights(files, (weights) =>
      dsparkNetwork(weights, config, target, files, shared),
    );
    return blockDrafter({ name: 'dspark', maxDraftTokens: config.blockSize }, config, network);
  };
}

function dsparkNetwork(
  weights: Weights,
  config: DSparkConfig,
  target: TargetConfig,
  { device }: ModelFiles,
  shared: readonly string[],
): BlockNetwork {
  const { blockSize, maskTokenId, markov, embeddingScale, finalLogitSoftcapping: cap } = config;
  const sizes = { ...target, tieWordEmbeddings: config.tieWordEmbeddings };
  const backbone = loadBackbone(weights, config, target, device);
  const markovHead = markov && loadMarkovHead(weights, headPath(weights, 'markov_head'), markov, sizes);
  const confidence = loadConfidence(weights, config);
  const { table, head } = loadTables(weights, sizes, shared);

  const embed = (place: BlockPlace, block: mx.MxArray): mx.MxArray => {
    if (table === undefined) return place.target.embed(block);
    const rows = table.embed(block);
    return embeddingScale === undefined ? rows : mx.multiply(rows, embeddingScale);
  };
  const logitsOf = (place: BlockPlace, states: mx.MxArray): mx.MxArray => {
    if (head === undefined) return place.target.logits(states);
    const logits = head.forward(states);
    return cap === undefined ? logits : softCap(logits, cap);
  };

  return {
    backbone,
    propose(count, place): Proposal {
      // It was trained on whole blocks. Rows that nobody asked for never reach the head.
      const block = [place.anchor, ...Array<number>(blockSize - 1).fill(maskTokenId)];
      const embedded = embed(place, tokenArray(block, target.vocabSize));
      const h = backbone.forward(embedded, place.contexts, place.condition);
      const states = backbone.normed(mx.slice(h, 1, 0, count));
      const logits = mx.add(logitsOf(place, states), backbone.penalty);
      if (!markovHead && !confidence) return { logits };
      const draft: Extract<Proposal, { draft: unknown }>['draft'] = (choose) => {
        const steps = markovHead?.steps();
        const sure: mx.MxArray[] = [];
        let token = tokenArray([place.anchor], target.vocabSize);
        for (let row = 0; row < count; row++) {
          const [state, bare] = [mx.slice(states, 1, row, row + 1), mx.slice(logits, 1, row, row + 1)];
          const step = steps?.(state, token);
          const gained = step ? mx.add(bare, step.gain) : bare;
          sure.push(confidence ? confidence(state, step) : mx.topLogProbability(gained));
          token = choose(gained, row);
        }
        return mx.reshape(mx.concatenate(sure, 1), -1);
      };
      return { draft };
    },
    dispose: () => {
      weights.dispose();
    },
  };
}

/** SpecForge puts both heads into a module. */
function headPath(weights: Weights, name: string): string {
  return weights.hasModule(`logit_head.${name}`) ? `logit_head.${name}` : name;
}

/**
 * The logarithm [1, 1] of how likely a row's draft stays, by its state [1, 1, hiddenSize] and what the Markov head knows of
 * the token before (speculative-decoding.md C.3).
 */
function loadConfidence(
  weights: Weights,
  { confidence, markov, hiddenSize }: DSparkConfig,
): ((state: mx.MxArray, step: MarkovStep | undefined) => mx.MxArray) | undefined {
  if (confidence === undefined) return undefined;
  const width = hiddenSize + (confidence.withMarkov ? (markov?.rank ?? 0) : 0);
  const path = `${headPath(weights, 'confidence_head')}.proj`;
  const proj = weights.linear(path, 1, width, { bias: true });
  return (state, step) => {
    const seen = confidence.withMarkov && step ? mx.concatenate([state, step.embedding], 2) : state;
    const odds = mx.reshape(proj.forward(seen), 1, 1);
    return mx.multiply(mx.softplus(mx.multiply(odds, -1)), -1);
  };
}
