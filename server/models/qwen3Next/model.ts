// Qwen3-Next: a hybrid whose gated delta layers have two products, grouped by key head.
import { GroupedProjections } from '../hybrid/projections';
import { loadHybrid } from '../hybrid/load';
import type { LoadTarget } from '../target';

export const loadQwen3Next: LoadTarget = (directory, fields, device, onProgress) =>
  loadHybrid({ directory, fields, device, onProgress }, (...args) => GroupedProjections.load(...args));
