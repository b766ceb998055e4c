// Loads a drafter from a checkpoint made by a test, and returns its first drafts and the notes of its loading.
import type { Device } from '../../server/models/mlx/device';
import { scope } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import type { DrafterFiles } from '../../server/models/drafters/drafter';
import { loadDrafter } from './loadModels';
import type { TargetModel } from '../../server/models/decoder/target';
import { valuesOf } from './arrayValues';
import { testDevice } from './testDevice';
import { commitTaps, draftLogits } from './draftRounds';
import { seededIntegers } from './seededRandom';
import { writeCheckpoint, type Checkpoint } from './tinyCheckpoint';

export interface DraftsOptions extends Pick<DrafterFiles, 'bits' | 'tables'> {
  readonly device?: Device;
  readonly shards?: number;
}

interface Drafts {
  /** Logits of a whole block, without those of tokens that are never drafted. */
  readonly logits: number[];
  /** Gains of the candidate selector for 16 tokens in each of two rows; empty without one. */
  readonly gains: number[];
  readonly notes: string[];
}

/** Loads the drafter of a checkpoint or folder, and returns its drafts after made-up taps of `target`. */
export async function draftsOfFiles(
  target: TargetModel,
  source: Checkpoint | string,
  { device = testDevice, shards = 1, ...options }: DraftsOptions = {},
): Promise<Drafts> {
  const notes: string[] = [];
  const onNote = (note: string): void => void notes.push(note);
  const folder = typeof source === 'string' ? source : writeCheckpoint(source, shards);
  const drafter = await loadDrafter(folder, target.config, device, { ...options, onNote });
  const state = drafter.newState(target, 1);
  const width = drafter.taps.length * target.config.hiddenSize;
  const taps = seededIntegers(3, 8 * width, -64, 64).map((k) => k / 32);
  commitTaps(state, [1, 2, 3, 4, 5, 6, 7, 8], taps);
  const logits = draftLogits(state, 9, drafter.maxDraftTokens).filter(Number.isFinite);
  const gains = scope(() => {
    const proposal = state.propose(9, 2);
    const ids = mx.array([Array.from({ length: 16 }, (_, i) => i), Array<number>(16).fill(1)], mx.int32);
    return 'selector' in proposal && proposal.selector ? valuesOf(proposal.selector.gains(ids)) : [];
  });
  state.dispose();
  drafter.dispose();
  return { logits, gains, notes };
}
