// The floor of a step on this machine, the least that it can cost: the bare matrix products, with the real weights.
import { Experts, Linear } from '../../server/models/decoder/linear';
import { dispose, scope, evaluateAsync } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import type { TargetModel } from '../../server/models/decoder/target';
import { tokenArray } from '../../server/models/mlx/tokenArray';

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
    await evaluateAsync([...inputs.values()]);
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
    await evaluateAsync(outputs);
    const elapsed = performance.now() - startedAt;
    dispose(outputs);
    return elapsed;
  }

  dispose(): void {
    dispose([...this.inputs.values()]);
  }
}

/**
 * Recorded in a step of one row: whatever a network is made of, each of its products goes through one of two classes.
 * Experts count as many times as a row visits.
 */
export function productsOf(target: TargetModel): Product[] {
  const products: Product[] = [];
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the product that it was taken of
  const [ofLinear, ofExperts] = [Linear.prototype.forward, Experts.prototype.forward];
  Linear.prototype.forward = function (x) {
    products.push({ inFeatures: x.shape.at(-1) ?? 0, run: (input) => ofLinear.call(this, input) });
    return ofLinear.call(this, x);
  };
  Experts.prototype.forward = function (x, visits) {
    const [inFeatures, visited] = [x.shape.at(-1) ?? 0, visits.experts.size];
    const run: Product['run'] = (input) =>
      ofExperts.call(this, mx.reshape(input, 1, 1, inFeatures), {
        experts: mx.arange(0, visited),
        sorted: true,
      });
    products.push({ inFeatures, run });
    return ofExperts.call(this, x, visits);
  };
  const caches = target.newCaches(1);
  try {
    scope(() => {
      target.logits(target.forward(tokenArray([0], target.config.vocabSize), caches, []).hidden);
      return undefined;
    });
  } finally {
    Linear.prototype.forward = ofLinear;
    Experts.prototype.forward = ofExperts;
    for (const cache of caches) cache.dispose();
  }
  return products;
}

/** [1, 1, size] in the target's own number type. */
function row(size: number, target: TargetModel): mx.MxArray {
  return scope(() => {
    const sample = target.embed(mx.constant([0], mx.int32));
    return mx.astype(mx.reshape(mx.arange(0, size), 1, 1, size), sample.dtype);
  });
}
