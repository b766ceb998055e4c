// A mixture of experts in place of one MLP: a router sends every row to its few best experts, whose outputs are
// mixed. The graph stays lazy: which experts those are is never read back.
import { loadExperts, VisitedExperts, type ExpertSizes, type GatedExperts } from './experts';
import { GatedMlp } from './layers';
import type { Linear } from './linear';
import * as mx from './ops';
import { ascending, divide, largest, valuesAt, type Visits } from './gather';
import type { Weights } from './weights';

export interface SparseSizes extends ExpertSizes {
  /** Experts that a row visits. */
  readonly numExpertsPerTok: number;
  /** Whether the shares of the visited experts add up to 1; else they are those among all experts. */
  readonly normTopkProb: boolean;
  /** Width of an expert that every row visits besides, if there is one. */
  readonly sharedExpertIntermediateSize: number | undefined;
}

interface SharedExpert {
  readonly mlp: GatedMlp;
  /** One value per row, whose sigmoid is the expert's share. */
  readonly gate: Linear;
}

export class SparseMlp {
  private constructor(
    private readonly sizes: SparseSizes,
    readonly gate: Linear,
    readonly experts: GatedExperts,
    readonly sharedExpert: SharedExpert | undefined,
  ) {}

  static load(weights: Weights, path: string, sizes: SparseSizes): SparseMlp {
    const { hiddenSize, numExperts, sharedExpertIntermediateSize: shared } = sizes;
    return new SparseMlp(
      sizes,
      weights.linear(`${path}.gate`, numExperts, hiddenSize),
      loadExperts(weights, path, sizes),
      shared === undefined
        ? undefined
        : {
            mlp: GatedMlp.load(weights, `${path}.shared_expert`, { hiddenSize, intermediateSize: shared }),
            gate: weights.linear(`${path}.shared_expert_gate`, 1, hiddenSize),
          },
    );
  }

  linears(): Linear[] {
    const { gateProj, upProj, downProj } = this.experts;
    const visited = [gateProj, upProj, downProj].map(
      (experts) => new VisitedExperts(experts, this.sizes.numExpertsPerTok),
    );
    const shared = this.sharedExpert ? [...this.sharedExpert.mlp.linears(), this.sharedExpert.gate] : [];
    return [this.gate, ...visited, ...shared];
  }

  /** [1, L, hidden] to the same shape. */
  forward(x: mx.MxArray): mx.MxArray {
    const { hiddenSize, numExpertsPerTok } = this.sizes;
    const rows = mx.reshape(x, -1, hiddenSize);
    const { choices, shares } = this.#route(rows);
    const outputs = mx.reshape(this.#visit(rows, choices), -1, numExpertsPerTok, hiddenSize);
    const mixed = mx.reshape(mx.matmul(shares, outputs), ...x.shape);
    if (this.sharedExpert === undefined) return mixed;
    const { mlp, gate } = this.sharedExpert;
    return mx.add(mixed, mx.multiply(mx.sigmoid(gate.forward(x)), mlp.forward(x)));
  }

  /** The experts of every row, [rows · k] with those of a row side by side, and their shares [rows, 1, k]. */
  #route(rows: mx.MxArray): { choices: mx.MxArray; shares: mx.MxArray } {
    const { numExpertsPerTok: k, normTopkProb } = this.sizes;
    const logits = mx.astype(this.gate.forward(rows), mx.float32);
    const best = largest(logits, k);
    // A softmax over the best logits alone is the whole softmax with its best values scaled to a sum of 1.
    const shares = normTopkProb ? mx.softmax(valuesAt(logits, best)) : valuesAt(mx.softmax(logits), best);
    return {
      choices: mx.reshape(best, -1),
      shares: mx.reshape(mx.astype(shares, rows.dtype), -1, 1, k),
    };
  }

  /** Each row [rows, hidden] through each of its experts: [rows · k, hidden], in the order of `choices`. */
  #visit(rows: mx.MxArray, choices: mx.MxArray): mx.MxArray {
    const { hiddenSize, numExpertsPerTok } = this.sizes;
    if (rows.shape[0] === 1) {
      return this.#throughExperts(mx.reshape(rows, 1, 1, hiddenSize), { experts: choices, sorted: false });
    }
    // Expert by expert: its weights are read once for all rows that visit it.
    const order = ascending(choices);
    const visitors = mx.take(rows, divide(order, numExpertsPerTok));
    const outputs = this.#throughExperts(mx.reshape(visitors, -1, 1, hiddenSize), {
      experts: mx.take(choices, order),
      sorted: true,
    });
    return mx.take(outputs, ascending(order));
  }

  /** [pairs, 1, hidden], or one row for all pairs, to [pairs, 1, hidden]. */
  #throughExperts(x: mx.MxArray, visits: Visits): mx.MxArray {
    const { gateProj, upProj, downProj } = this.experts;
    const gated = mx.multiply(mx.silu(gateProj.forward(x, visits)), upProj.forward(x, visits));
    return downProj.forward(gated, visits);
  }
}
