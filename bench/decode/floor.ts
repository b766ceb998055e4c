// What one step costs at least on this machine: its bare matrix products, with the real weights.
import { dispose, scope, settle } from '../../server/models/memory';
import * as mx from '../../server/models/ops';
import type { TargetModel } from '../../server/models/target';

export class Floor {
  private constructor(
    private readonly target: TargetModel,
    /** One row of input per size. */
    private readonly inputs: ReadonlyMap<number, mx.MxArray>,
  ) {}

  static async prepare(target: TargetModel): Promise<Floor> {
    const sizes = new Set(target.linears().map(({ inFeatures }) => inFeatures));
    const inputs = new Map([...sizes].map((size) => [size, row(size, target)]));
    await settle([...inputs.values()]);
    return new Floor(target, inputs);
  }

  /** Milliseconds for all products of a one-row step, evaluated together. */
  async run(): Promise<number> {
    const outputs = scope(() =>
      this.target.linears().map((linear) => {
        const input = this.inputs.get(linear.inFeatures);
        return input && linear.forward(input);
      }),
    );
    const startedAt = performance.now();
    await settle(outputs);
    const elapsed = performance.now() - startedAt;
    dispose(outputs);
    return elapsed;
  }

  dispose(): void {
    dispose([...this.inputs.values()]);
  }
}

/** [1, 1, size] of the target's own number type. */
function row(size: number, target: TargetModel): mx.MxArray {
  return scope(() => {
    const sample = target.embed(mx.constant([0], mx.int32));
    return mx.astype(mx.reshape(mx.arange(0, size), 1, 1, size), sample.dtype);
  });
}
