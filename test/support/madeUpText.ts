// A text without meaning, and taps for it, as a drafter is shown them; the same for the same seed.
// Knows nothing about what a drafter makes of them.
import type { Drafter, DraftState } from '../../server/models/drafters/drafter';
import { scope } from '../../server/models/mlx/memory';
import type { TargetModel } from '../../server/models/decoder/target';
import { arrayOf } from './arrayValues';
import { seededIntegers } from './seededRandom';

export const ANCHOR = 7;

/**
 * Every third token is the anchor, after the same token each time, so that lookups find it. The others are from all
 * over the vocabulary.
 */
function tokenAt(position: number, text: number, vocabSize: number): number {
  const spread = Math.max(1, Math.floor(vocabSize / 256));
  const token = [ANCHOR, spread * (20 + 100 * text + position), 10 + text][position % 3] ?? ANCHOR;
  return token % vocabSize;
}

export interface MadeUpText {
  readonly drafter: Drafter;
  readonly target: TargetModel;
  /** Texts of other numbers are different. */
  readonly text?: number;
}

/** Shows a state the positions [from, to) of a text. */
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
