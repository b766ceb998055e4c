// What one step costs at least on this machine: its bare matrix products, with the real weights.
import { dispose, scope, settle } from '../../models/memory';
import * as mx from '../../models/ops';
import type { TargetModel } from '../../models/target';
import { median } from './median';

const RUNS = 5;

/** Milliseconds for all products of a one-row step, evaluated together; median of a few runs. */
export async function floorMs(target: TargetModel): Promise<number> {
  const linears = target.linears();
  const inputs = new Map(linears.map(({ inFeatures }) => [inFeatures, row(inFeatures, target)]));
  await settle([...inputs.values()]);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const outputs = scope(() =>
      linears.map((linear) => {
        const input = inputs.get(linear.inFeatures);
        return input && linear.forward(input);
      }),
    );
    const startedAt = performance.now();
    await settle(outputs);
    times.push(performance.now() - startedAt);
    dispose(outputs);
  }
  dispose([...inputs.values()]);
  return median(times);
}

/** [1, 1, size] of the target's own number type. */
function row(size: number, target: TargetModel): mx.MxArray {
  return scope(() => {
    const sample = target.embed(mx.constant([0], mx.int32));
    return mx.astype(mx.reshape(mx.arange(0, size), 1, 1, size), sample.dtype);
  });
}
