// What a drafter drafts first whose checkpoint a test has made, and what is said as it is loaded.
import type { Device } from '../../server/models/mlx/device';
import { loadDrafter, type DrafterOptions } from '../../server/models/families/registry';
import type { TargetModel } from '../../server/models/decoder/target';
import { cpu } from './cpu';
import { commitTaps, draftLogits } from './draftRounds';
import { seededIntegers } from './seededRandom';
import { writeCheckpoint, type Checkpoint } from './tinyCheckpoint';

export interface DraftsOptions extends Omit<DrafterOptions, 'onNote'> {
  readonly device?: Device;
  readonly shards?: number;
}

/** The logits of a whole block after some taps of `target`. */
export async function draftsOfFiles(
  target: TargetModel,
  written: Checkpoint,
  { device = cpu, shards = 1, ...options }: DraftsOptions = {},
): Promise<{ logits: number[]; notes: string[] }> {
  const notes: string[] = [];
  const onNote = (note: string): void => void notes.push(note);
  const folder = writeCheckpoint(written, shards);
  const drafter = await loadDrafter(folder, target.config, device, { ...options, onNote });
  const state = drafter.newState(target, 1);
  const width = drafter.taps.length * target.config.hiddenSize;
  const taps = seededIntegers(3, 8 * width, -64, 64).map((k) => k / 32);
  commitTaps(state, [1, 2, 3, 4, 5, 6, 7, 8], taps);
  const logits = draftLogits(state, 9, drafter.maxDraftTokens);
  state.dispose();
  drafter.dispose();
  return { logits, notes };
}
