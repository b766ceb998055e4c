// Which token each column of a drafter's logits stands for, where they are not of the whole vocabulary.
import * as mx from './ops';

export class Columns {
  constructor(
    /** Each token below it has the column of its id. */
    readonly limit: number,
    /** The tokens of the columns behind those, from `limit` on, none twice. */
    readonly others: readonly number[],
    /** That of these two, where it is at hand. */
    readonly table?: mx.MxArray,
  ) {}

  /** The tokens of all columns, int32. Lazy. */
  static table(limit: number, others: mx.MxArray): mx.MxArray {
    // Thousands of numbers would take longer from JavaScript than a draft can spare.
    return mx.concatenate([mx.arange(0, limit), others], 0);
  }

  /** Undefined for a token that has none. */
  columnOf(token: number): number | undefined {
    if (token < this.limit) return token;
    const index = this.others.indexOf(token);
    return index < 0 ? undefined : this.limit + index;
  }

  /** Integer columns of any shape as tokens, int32. Lazy. */
  tokensAt(columns: mx.MxArray): mx.MxArray {
    if (this.others.length === 0) return mx.astype(columns, mx.int32);
    const table = this.table ?? Columns.table(this.limit, mx.constant(this.others, mx.int32));
    return mx.take(table, columns);
  }
}
