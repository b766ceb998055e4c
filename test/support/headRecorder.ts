// A target that lets a test see and change what passes through its output head.
import type { MxArray } from '../../server/models/mlx/ops';
import type { TargetModel } from '../../server/models/decoder/target';
import { overlaid } from './overlaid';

/** Wraps a target. `onHead` gets the hidden rows and their logits, and returns the logits to use. */
export function withHead(
  target: TargetModel,
  onHead: (hidden: MxArray, logits: MxArray) => MxArray,
): TargetModel {
  return overlaid(target, { logits: (hidden) => onHead(hidden, target.logits(hidden)) });
}
