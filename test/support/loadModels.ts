// Loads models by their folders.
import { readModelFolder, type ModelFiles } from '../../server/models/checkpoint/modelFolder';
import type { TargetConfig, TargetModel } from '../../server/models/decoder/target';
import type { Drafter, DrafterFiles } from '../../server/models/drafters/drafter';
import { loadDrafter as loadDrafterFiles } from '../../server/models/loadDrafter';
import { loadTarget as loadTargetFiles } from '../../server/models/loadTarget';
import type { Device } from '../../server/models/mlx/device';

export async function loadTarget(
  directory: string,
  device: Device,
  callbacks: Pick<ModelFiles, 'onProgress' | 'onNote'> = {},
): Promise<TargetModel> {
  return await loadTargetFiles({ ...readModelFolder(directory), device, ...callbacks });
}

export async function loadDrafter(
  directory: string,
  target: TargetConfig,
  device: Device,
  options: Pick<DrafterFiles, 'tables' | 'bits' | 'onNote'> = {},
): Promise<Drafter> {
  return await loadDrafterFiles({ ...readModelFolder(directory), device, ...options }, target);
}
