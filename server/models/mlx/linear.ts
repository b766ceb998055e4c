// Matrix products with dense or packed weights: one product, one for each of many experts, and a token table. Packed
// weights keep the checkpoint's [out, in] layout; dense ones get a transposed view once, which is the fastest form for
// OpenBLAS and Metal alike.
import { WrongValue } from '../../rules/userError';
import * as mx from './ops';

/** Weights as they are stored, [.., out, in]. */
export type Matrix = { readonly dense: mx.MxArray } | mx.Quantised;

/** Weights in the form that products take: dense ones with a view [.., in, out]. */
export type Factor = { readonly dense: mx.MxArray; readonly transposed: mx.MxArray } | mx.Quantised;

export class Linear {
  constructor(
    readonly weights: Factor,
    readonly bias?: mx.MxArray,
  ) {}

  /** Multiplies [..., in] to [..., out] and adds the bias. */
  forward(x: mx.MxArray): mx.MxArray {
    const { weights, bias } = this;
    const y = 'transposed' in weights ? mx.matmul(x, weights.transposed) : mx.quantizedMatmul(x, weights);
    return bias ? mx.add(y, bias) : y;
  }
}

export class Experts {
  constructor(
    /** Weights of all experts, [experts, out, in] or packed. */
    readonly weights: Factor,
  ) {}

  /**
   * Multiplies row i of `x` [pairs, 1, in], or its only row [1, 1, in], by the matrix of expert `visited[i]`:
   * [pairs, 1, out].
   */
  forward(x: mx.MxArray, visited: mx.MxArray): mx.MxArray {
    const { weights } = this;
    if ('transposed' in weights) return mx.gatherMM(x, weights.transposed, visited);
    return mx.gatherQMM(x, weights, visited);
  }
}

export class Embedding {
  constructor(
    /** Rows by token id, [vocabSize, hiddenSize]. */
    readonly table: Factor,
  ) {}

  /** Returns the rows [1, n, hiddenSize] of token ids [n], which must be inside the table. */
  embed(ids: mx.MxArray): mx.MxArray {
    const rows = rowsAt(this.table, ids);
    return mx.reshape(rows, 1, ...rows.shape);
  }

  /** Returns the table as an output head: [..., hiddenSize] to [..., vocabSize]. */
  asLinear(): Linear {
    return new Linear(this.table);
  }
}

function rowsAt(table: Factor, ids: mx.MxArray): mx.MxArray {
  if ('dense' in table) return mx.take(table.dense, ids);
  const { weight, scales, biases } = table;
  return mx.dequantize({
    ...table,
    weight: mx.take(weight, ids),
    scales: mx.take(scales, ids),
    biases: mx.take(biases, ids),
  });
}

/** Joins matrices of one size. Throws UserError, naming `source`, unless all are dense or packed in the same way. */
export function stackMatrices(
  parts: readonly Matrix[],
  join: (arrays: readonly mx.MxArray[]) => mx.MxArray,
  source: string,
): Matrix {
  const dense = parts.flatMap((part) => ('dense' in part ? [part.dense] : []));
  const packed = parts.flatMap((part) => ('dense' in part ? [] : [part]));
  const [first] = packed;
  if (first === undefined) return { dense: join(dense) };
  const alike = packed.filter(({ bits, groupSize }) => bits === first.bits && groupSize === first.groupSize);
  if (alike.length < parts.length) {
    throw new WrongValue({
      expected: `all experts of a layer quantised alike in ${source}`,
      got: 'several ways',
      remedy: 'use a checkpoint of mlx-community',
    });
  }
  return {
    ...first,
    weight: join(packed.map(({ weight }) => weight)),
    scales: join(packed.map(({ scales }) => scales)),
    biases: join(packed.map(({ biases }) => biases)),
  };
}
