// The two ends of a block drafter: the token table that its rows come from, the output head that they go to, each its own or
// the target's, and the vocabulary of its drafts.
import { softCap } from '../../decoder/attention';
import { outputHead } from '../../decoder/decoderStack';
import type { TargetConfig, TargetModel } from '../../decoder/target';
import type { Weights } from '../../checkpoint/weights';
import * as mx from '../../mlx/ops';
import { tokenArray } from '../../mlx/tokenArray';
import type { DrafterFiles } from '../drafter';
import type { BlockConfig } from './blockConfig';
import { BESIDE_WEIGHTS, readDraftVocabulary, vocabularyMaps } from './draftVocabulary';
import { loadTables, sharedTables, type TableSizes } from './ownTables';

/** Everything about the ends that must be known before the network is read. */
export interface EndFacts {
  /** Names of the drafter's own tables that equal the target's. */
  readonly shared: readonly string[];
  /** Target ids of a reduced vocabulary; undefined for the whole one. */
  readonly vocabulary: readonly number[] | undefined;
}

export type EndConfig = BlockConfig & Pick<TableSizes, 'embeddingScale' | 'finalLogitSoftcapping'>;

export interface BlockEnds {
  /** Token ids to rows [1, ids, hiddenSize]. */
  embed(this: void, ids: readonly number[], target: TargetModel): mx.MxArray;
  /** Rows after the final norm to logits of the drafter's own vocabulary. */
  logits(this: void, states: mx.MxArray, target: TargetModel): mx.MxArray;
  /** Such logits to those of the target's vocabulary; -Infinity for the mask and for tokens that are never drafted. */
  toTarget(this: void, logits: mx.MxArray): mx.MxArray;
}

export async function readEndFacts(
  files: DrafterFiles,
  config: EndConfig,
  { vocabSize }: TargetConfig,
): Promise<EndFacts> {
  const vocabulary = await readDraftVocabulary(files, config.draftVocabSize, vocabSize);
  return { shared: await sharedTables(files, { ...config, vocabSize }), vocabulary };
}

export function loadEnds(
  weights: Weights,
  config: EndConfig,
  { vocabSize }: TargetConfig,
  { shared, vocabulary }: EndFacts,
): BlockEnds {
  const { embeddingScale, finalLogitSoftcapping: cap, maskTokenId } = config;
  const { table, head } = loadTables(weights, { ...config, vocabSize }, shared);
  const { toTarget, toDraft } = vocabularyMaps(weights, vocabulary, maskTokenId, vocabSize);
  const own = head && outputHead(weights, head);
  weights.ignore(BESIDE_WEIGHTS);
  return {
    embed(ids, target) {
      const tokens = tokenArray(ids, vocabSize);
      if (table === undefined) return target.embed(tokens);
      const rows = table.embed(tokens);
      return embeddingScale === undefined ? rows : mx.multiply(rows, embeddingScale);
    },
    logits: (states, target) => (own ? softCap(own(states), cap) : toDraft(target.logits(states))),
    toTarget,
  };
}
