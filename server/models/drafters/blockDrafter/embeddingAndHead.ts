// Token table and output head of a block drafter, either its own or the target's, and the vocabulary of its drafts.
import { outputHead, softCap } from '../../decoder/outputHead';
import type { TargetConfig, TargetModel } from '../../decoder/target';
import type { Weights } from '../../checkpoint/weights';
import * as mx from '../../mlx/ops';
import { tokenArray } from '../../mlx/tokenArray';
import type { DrafterFiles } from '../drafter';
import { NON_NETWORK_TENSORS, readDraftVocabulary, vocabularyMaps } from './draftVocabulary';
import { loadOwnTables, redundantTables, type TableConfig } from './ownTables';

/** Facts about the tables that must be known before the network is read. */
export interface TableFacts {
  /** Names of the drafter's tables that equal the target's. */
  readonly shared: readonly string[];
  /** Target ids of a reduced vocabulary, by the drafter's ids; undefined for the whole vocabulary. */
  readonly vocabulary: readonly number[] | undefined;
}

export interface EmbeddingAndHead {
  /** Embeds token ids as rows [1, ids, hiddenSize]. */
  embed(this: void, ids: readonly number[], target: TargetModel): mx.MxArray;
  /** Returns float32 logits [1, rows, draftVocabSize] of rows [1, rows, hiddenSize] after the final norm. */
  logits(this: void, states: mx.MxArray, target: TargetModel): mx.MxArray;
  /** Maps these logits to the target's vocabulary; -Infinity for the mask token and tokens that are never drafted. */
  toTarget(this: void, logits: mx.MxArray): mx.MxArray;
}

/**
 * Reads which tables of the drafter equal those of the target, and its vocabulary. Throws UserError for wrong maps.
 */
export async function readTableFacts(
  files: DrafterFiles,
  config: TableConfig,
  { vocabSize }: TargetConfig,
): Promise<TableFacts> {
  const vocabulary = await readDraftVocabulary(files, config.draftVocabSize, vocabSize);
  return { shared: await redundantTables(files, config, vocabSize), vocabulary };
}

/** Loads the drafter's own token table and output head. The target's replace those that it lacks or shares. */
export function loadEmbeddingAndHead(
  weights: Weights,
  config: TableConfig,
  { vocabSize }: TargetConfig,
  { shared, vocabulary }: TableFacts,
): EmbeddingAndHead {
  const { embeddingScale, finalLogitSoftcapping: cap, maskTokenId } = config;
  const { table, head } = loadOwnTables(weights, config, vocabSize, shared);
  const { toTarget, toDraft } = vocabularyMaps(weights, vocabulary, maskTokenId, vocabSize);
  const ownLogits = head && outputHead(weights, head);
  weights.ignore(NON_NETWORK_TENSORS);
  return {
    embed(ids, target) {
      const tokens = tokenArray(ids, vocabSize);
      if (table === undefined) return target.embed(tokens);
      const rows = table.embed(tokens);
      return embeddingScale === undefined ? rows : mx.multiply(rows, embeddingScale);
    },
    logits: (states, target) =>
      ownLogits ? softCap(ownLogits(states), cap) : toDraft(target.logits(states)),
    toTarget,
  };
}
