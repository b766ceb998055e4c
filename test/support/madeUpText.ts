// Commits made-up tokens and taps to the state of a drafter. A text and a position always give the same values.
import type { Drafter, DraftState } from '../../server/models/drafters/drafter';
import { scope } from '../../server/models/mlx/memory';
import type { TargetModel } from '../../server/models/decoder/target';
import { arrayOf } from './arrayValues';
import { seededIntegers } from './seededRandom';

export const ANCHOR = 7;

/**
 * Returns the token at a position. Every third one is the anchor, always after the same token, so that look-up finds
 * it; those after the anchor are spread over the vocabulary.
 */
function tokenAt(position: number, text: number, vocabSize: number): number {
  const spread = Math.max(1, Math.floor(vocabSize / 256));
  const token = [ANCHOR, spread * (20 + 100 * text + position), 10 + text][position % 3] ?? ANCHOR;
  return token % vocabSize;
}

export interface MadeUpText {
  readonly drafter: Drafter;
  readonly target: TargetModel;
  /** Number of the text; texts with different numbers differ. */
  readonly text?: number;
}

/** Commits the positions [from, to) of a text to a state. */
export function commitText(
  { drafter, target, text = 1 }: MadeUpText,
  state: DraftState,
  from: number,
  to: number,
): void {
  const { hiddenSize, vocabSize } = target.config;
  const width = drafter.taps.length * hiddenSize;
  const positions = Array.from({ length: to - from }, (_, i) => from + i);
  const rows = positions.flatMap((at) => seededIntegers(1000 * text + at, width, -64, 64));
  scope(() => {
    const values = rows.map((k) => k / 32);
    const taps = width > 0 ? arrayOf([1, to - from, width], values) : undefined;
    state.commit(
      positions.map((at) => tokenAt(at, text, vocabSize)),
      taps,
    );
    return undefined;
  });
}
