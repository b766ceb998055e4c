// Reduced vocabularies: a drafter that drafts from a subset of the target's tokens stores two maps. `d2t` has, for each
// token of the drafter, the target's id minus the drafter's id; `t2d` flags the target's tokens that can be drafted.
import { quoted } from '../../../rules/userError';
import type { Weights } from '../../checkpoint/weights';
import * as mx from '../../mlx/ops';
import type { DrafterFiles } from '../drafter';
import { useSomeWeights } from './blockWeights';

const TO_TARGET = 'd2t';
const TO_DRAFT = 't2d';
/** Tensors that are not part of the network: the maps, and parts of the target that training leaves in the file. */
export const NON_NETWORK_TENSORS = /^(d2t|t2d|verifier_(norm|lm_head)\..*)$/;
const REMEDY = 'download the drafter again';

/** Reads the target's ids of the drafter's `size` tokens; undefined if they are the target's whole vocabulary. */
export async function readDraftVocabulary(
  files: DrafterFiles,
  size: number,
  vocabSize: number,
): Promise<readonly number[] | undefined> {
  if (size === vocabSize) return undefined;
  const takeMaps = (weights: Weights) => {
    const take = (name: string, length: number) =>
      weights.has(name) ? weights.integers(name, length) : undefined;
    return { toTarget: take(TO_TARGET, size), toDraft: take(TO_DRAFT, vocabSize) };
  };
  return await useSomeWeights(files, takeMaps, ({ toTarget, toDraft }) => {
    const flaggedIds = toDraft && mx.numbers(toDraft).flatMap((flag, id) => (flag === 0 ? [] : [id]));
    const ids = toTarget ? mx.numbers(toTarget).map((distance, i) => i + distance) : flaggedIds;
    if (ids === undefined) throw refusal(files, `tensor ${TO_TARGET} or ${TO_DRAFT}`, 'neither');
    requireVocabulary(files, ids, size, vocabSize);
    if (flaggedIds && !isSameSet(ids, flaggedIds))
      throw refusal(files, `the same tokens in ${TO_TARGET} and ${TO_DRAFT}`, 'different ones');
    return ids;
  });
}

function requireVocabulary(
  files: DrafterFiles,
  ids: readonly number[],
  size: number,
  vocabSize: number,
): void {
  const outside = ids.find((id) => id < 0 || id >= vocabSize);
  if (outside !== undefined)
    throw refusal(files, `token ids below ${String(vocabSize)} in ${TO_TARGET}`, quoted(outside));
  const count = new Set(ids).size;
  if (count !== size || ids.length !== size)
    throw refusal(files, `${String(size)} different tokens in its maps`, String(count));
}

function refusal({ fields }: DrafterFiles, expected: string, got: string) {
  return fields.refusal(`${expected} for its draft_vocab_size`, got, REMEDY);
}

function isSameSet(ids: readonly number[], flaggedIds: readonly number[]): boolean {
  const flagged = new Set(flaggedIds);
  return ids.length === flagged.size && ids.every((id) => flagged.has(id));
}

/** Conversions of logits [.., draftVocabSize] to logits of the target's vocabulary [.., vocabSize], and back. */
export interface VocabularyMaps {
  readonly toTarget: (logits: mx.MxArray) => mx.MxArray;
  readonly toDraft: (logits: mx.MxArray) => mx.MxArray;
}

/** Creates the maps. `ids` are the target's ids by the drafter's ids; the mask token must never be drafted. */
export function vocabularyMaps(
  weights: Weights,
  ids: readonly number[] | undefined,
  maskTokenId: number,
  vocabSize: number,
): VocabularyMaps {
  if (ids === undefined) {
    const penaltyOf = (id: number) => (id === maskTokenId ? -Infinity : 0);
    const penalty = weights.constant(Array.from({ length: vocabSize }, (_, id) => penaltyOf(id)));
    return { toTarget: (logits) => mx.add(logits, penalty), toDraft: (logits) => logits };
  }
  const draftColumns = Array<number>(vocabSize).fill(ids.length);
  for (const [column, id] of ids.entries()) if (id !== maskTokenId) draftColumns[id] = column;
  const fromDraft = weights.constant(draftColumns, mx.int32);
  const fromTarget = weights.constant(ids, mx.int32);
  return {
    // Tokens that the drafter cannot draft get their logit from an extra column of -Infinity.
    toTarget: (logits) => {
      const extra = mx.add(mx.zeros([...logits.shape.slice(0, -1), 1], logits.dtype), -Infinity);
      return mx.take(mx.concatenate([logits, extra], logits.ndim - 1), fromDraft, -1);
    },
    toDraft: (logits) => mx.take(logits, fromTarget, -1),
  };
}
