// Loads a target from a checkpoint made by a test, and returns its logits.
import type { Device } from '../../server/models/mlx/device';
import { loadTarget } from './loadModels';
import { testDevice } from './testDevice';
import { seededIntegers } from './seededRandom';
import { writeCheckpoint, type Checkpoint } from './tinyCheckpoint';
import { runWhole } from './tokenRun';

/** Ids that all fixtures have. */
const IDS = seededIntegers(9, 12, 3, 95);

export async function logitsOf(
  checkpoint: Checkpoint,
  device: Device = testDevice,
  shards = 1,
): Promise<number[]> {
  const target = await loadTarget(writeCheckpoint(checkpoint, shards), device);
  const { logits } = runWhole(target, IDS);
  target.dispose();
  return logits;
}
