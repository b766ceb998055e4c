// Qwen3.5 with or without experts: a hybrid whose gated delta layers have a product for each of what they need.
import { SeparateProjections } from '../hybrid/projections';
import { loadHybrid } from '../hybrid/load';
import type { LoadTarget } from '../target';

export const loadQwen35: LoadTarget = (directory, fields, device, onProgress) =>
  loadHybrid({ directory, fields, device, onProgress }, (...args) => SeparateProjections.load(...args));
