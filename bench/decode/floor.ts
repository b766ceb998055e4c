// What one step costs at least on this machine, which is its floor: the bare matrix products, with the real weights.
import { Experts, Linear } from '../../server/models/linear';
import { dispose, scope, settle } from '../../server/models/memory';
import * as mx from '../../server/models/ops';
import { SparseMlp } from '../../server/models/sparseMlp';
import type { TargetModel } from '../../server/models/target';

/** One product of a one-row step. */
export interface Product {
  readonly inFeatures: number;
  /** [1, 1, inFeatures] to all its outputs. */
  readonly run: (x: mx.MxArray) => mx.MxArray;
}

export class Floor {
  private constructor(
    private readonly products: readonly Product[],
    /** One row of input per size. */
    private readonly inputs: ReadonlyMap<number, mx.MxArray>,
  ) {}

  static async prepare(target: TargetModel): Promise<Floor> {
    const products = productsOf(target);
    const sizes = new Set(products.map(({ inFeatures }) => inFeatures));
    const inputs = new Map([...sizes].map((size) => [size, row(size, target)]));
    await settle([...inputs.values()]);
    return new Floor(products, inputs);
  }

  /** Milliseconds for all products of a one-row step, evaluated together. */
  async run(): Promise<number> {
    const outputs = scope(() =>
      this.products.map(({ inFeatures, run }) => {
        const input = this.inputs.get(inFeatures);
        return input && run(input);
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

/** Found in the parts that a model is made of. Of experts, as many as a row visits. */
export function productsOf(part: unknown, visited = 1): Product[] {
  if (typeof part !== 'object' || part === null) return [];
  if (part instanceof Linear) return [{ inFeatures: inFeatures(part), run: (x) => part.forward(x) }];
  if (part instanceof Experts) {
    const width = inFeatures(part);
    const run = (x: mx.MxArray): mx.MxArray =>
      part.forward(mx.reshape(x, 1, 1, width), { experts: mx.arange(0, visited), sorted: true });
    return [{ inFeatures: width, run }];
  }
  const own = part instanceof SparseMlp ? part.sizes.numExpertsPerTok : visited;
  return Object.values(part).flatMap((inner) => productsOf(inner, own));
}

function inFeatures({ weights }: Linear | Experts): number {
  if ('transposed' in weights) return weights.transposed.shape.at(-2) ?? 0;
  return (weights.scales.shape.at(-1) ?? 0) * weights.groupSize;
}

/** [1, 1, size] of the target's own number type. */
function row(size: number, target: TargetModel): mx.MxArray {
  return scope(() => {
    const sample = target.embed(mx.constant([0], mx.int32));
    return mx.astype(mx.reshape(mx.arange(0, size), 1, 1, size), sample.dtype);
  });
}
