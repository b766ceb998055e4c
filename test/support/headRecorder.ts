// A target that lets a test see and change what passes through its output head. Everything else it leaves to the target
// inside.
import type { MxArray } from '../../server/models/mlx/ops';
import type { TargetModel } from '../../server/models/decoder/target';

/** `onHead` is given the hidden rows and their logits, and returns the logits to use. */
export function withHead(
  target: TargetModel,
  onHead: (hidden: MxArray, logits: MxArray) => MxArray,
): TargetModel {
  return new Proxy(target, {
    get(inner, name) {
      if (name === 'logits') return (hidden: MxArray) => onHead(hidden, inner.logits(hidden));
      const value: unknown = Reflect.get(inner, name, inner);
      return typeof value === 'function' ? (value.bind(inner) as unknown) : value;
    },
  });
}
