// A matrix product and a token table, each dense or affine-quantised. Weights keep the checkpoint's
// [out, in] layout; the transposed view is made once, which is the fastest form for OpenBLAS and Metal alike.
import * as mx from './ops';

/** Packed weights of mlx-community checkpoints: w = scale · q + bias per group of inputs. */
export interface Quantised {
  readonly weight: mx.MxArray;
  readonly scales: mx.MxArray;
  readonly biases: mx.MxArray;
  readonly groupSize: number;
  readonly bits: number;
}

export interface Linear {
  readonly inFeatures: number;
  /** [..., in] to [..., out]. */
  forward(x: mx.MxArray): mx.MxArray;
}

/** A product that can be had of some of its outputs only. */
export interface Head extends Linear {
  /** Of the first `count`: views of the same weights. Call inside a scope. */
  first(count: number): Head;
  /** Of those of the integers `ids` [n], copied; ids must be outputs. Call inside a scope. */
  at(ids: mx.MxArray): Head;
  /** All that it multiplies with and adds. */
  arrays(): mx.MxArray[];
}

export interface Embedding {
  /** Token ids [n] to rows [1, n, hidden]; ids must lie inside the table. */
  embed(ids: mx.MxArray): mx.MxArray;
  /** The table as an output head: [..., hidden] to [..., vocabulary]. */
  asLinear(): Head;
}

export class DenseLinear implements Head {
  constructor(
    /** [in, out], a view of the stored [out, in]. */
    readonly weightT: mx.MxArray,
    readonly bias?: mx.MxArray,
  ) {}

  get inFeatures(): number {
    return this.weightT.shape[0] ?? 0;
  }

  forward(x: mx.MxArray): mx.MxArray {
    const y = mx.matmul(x, this.weightT);
    return this.bias ? mx.add(y, this.bias) : y;
  }

  first(count: number): DenseLinear {
    return new DenseLinear(
      mx.slice(this.weightT, 1, 0, count),
      this.bias && mx.slice(this.bias, 0, 0, count),
    );
  }

  at(ids: mx.MxArray): DenseLinear {
    // Rows of the stored [out, in] lie in one piece each.
    const rows = mx.take(mx.transpose(this.weightT, 1, 0), ids);
    return new DenseLinear(mx.transpose(rows, 1, 0), this.bias && mx.take(this.bias, ids));
  }

  arrays(): mx.MxArray[] {
    return [this.weightT, this.bias].filter((array) => array !== undefined);
  }
}

export class QuantisedLinear implements Head {
  constructor(
    readonly weights: Quantised,
    readonly bias?: mx.MxArray,
  ) {}

  get inFeatures(): number {
    const { scales, groupSize } = this.weights;
    return (scales.shape[1] ?? 0) * groupSize;
  }

  forward(x: mx.MxArray): mx.MxArray {
    const { weight, scales, biases, groupSize, bits } = this.weights;
    const y = mx.quantizedMatmul(x, weight, scales, biases, groupSize, bits);
    return this.bias ? mx.add(y, this.bias) : y;
  }

  first(count: number): QuantisedLinear {
    return this.#part((array) => mx.slice(array, 0, 0, count));
  }

  at(ids: mx.MxArray): QuantisedLinear {
    return this.#part((array) => mx.take(array, ids));
  }

  arrays(): mx.MxArray[] {
    const { weight, scales, biases } = this.weights;
    return [weight, scales, biases, this.bias].filter((array) => array !== undefined);
  }

  /** Outputs are the first axis of everything that is stored. */
  #part(of: (array: mx.MxArray) => mx.MxArray): QuantisedLinear {
    const { weight, scales, biases } = this.weights;
    const weights = { ...this.weights, weight: of(weight), scales: of(scales), biases: of(biases) };
    return new QuantisedLinear(weights, this.bias && of(this.bias));
  }
}

export class DenseEmbedding implements Embedding {
  constructor(
    /** [vocabulary, hidden] */
    readonly weight: mx.MxArray,
    /** [hidden, vocabulary], a view. */
    readonly weightT: mx.MxArray,
  ) {}

  embed(ids: mx.MxArray): mx.MxArray {
    const rows = mx.take(this.weight, ids);
    return mx.reshape(rows, 1, ...rows.shape);
  }

  asLinear(): Head {
    return new DenseLinear(this.weightT);
  }
}

export class QuantisedEmbedding implements Embedding {
  constructor(readonly weights: Quantised) {}

  embed(ids: mx.MxArray): mx.MxArray {
    const { weight, scales, biases, groupSize, bits } = this.weights;
    const [w, s, b] = [mx.take(weight, ids), mx.take(scales, ids), mx.take(biases, ids)];
    const rows = mx.dequantize(w, s, b, groupSize, bits);
    return mx.reshape(rows, 1, ...rows.shape);
  }

  asLinear(): Head {
    return new QuantisedLinear(this.weights);
  }
}
