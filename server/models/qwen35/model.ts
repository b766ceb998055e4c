// Qwen3.5: gated delta layers with gated attention in between, each with an MLP.
import { loadHybrid } from '../hybrid/load';
import { GatedMlp } from '../layers';
import type { LoadTarget } from '../target';
import { parseQwen35Config } from './config';

export const loadQwen35: LoadTarget = async (directory, fields, device, onProgress) => {
  const config = parseQwen35Config(directory, fields);
  return await loadHybrid({ directory, fields, device, onProgress }, config, (weights, path) =>
    GatedMlp.load(weights, path, config),
  );
};
