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

export interface Embedding {
  /** Token ids [n] to rows [1, n, hidden]; ids must lie inside the table. */
  embed(ids: mx.MxArray): mx.MxArray;
  /** The table as an output head: [..., hidden] to [..., vocabulary]. */
  asLinear(): Linear;
}

export class DenseLinear implements Linear {
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
}

export class QuantisedLinear implements Linear {
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

  asLinear(): Linear {
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

  asLinear(): Linear {
    return new QuantisedLinear(this.weights);
  }
}
