// The part of the vocabulary that drafts of one decode come from, and its logits. A draft is bound by what it reads, and
// most of that is the head; which tokens can be drafted changes how fast a text comes, never the text.
import { Columns } from '../columns';
import type { DeviceName } from '../device';
import type { ProposedLogits } from '../drafter';
import { Linear } from '../linear';
import { arraysIn, dispose, keep } from '../memory';
import * as mx from '../ops';
import type { TargetModel } from '../target';
import { tokenArray } from '../tokenArray';
import type { DraftNetwork } from './draftNetwork';

/** Where drafts come from a part only. Measured on CPUs; on a GPU it is taken for granted, as less is read there too. */
const IN_PART: Readonly<Record<DeviceName, boolean>> = { cpu: true, gpu: true };
/**
 * Byte-pair ids come in the order of their merges, so the lowest quarter has the frequent tokens. With those of a
 * context of some 600 tokens it has 998 of 1000 that the embedded target says next (bench/NOTES.md).
 */
const SHARE = 1 / 4;
/** A head of fewer tokens costs less than the bookkeeping of a part. */
const SMALL = 8192;

/** Copies of the head's rows for the tokens of some columns. */
interface Gathered {
  readonly head: Linear;
  readonly columns: Columns;
}

export class DraftVocabulary {
  /** All tokens below it can be drafted. */
  readonly #limit: number;
  /** Where tokens from the limit on came first, in that order; before the text for those that end one. */
  readonly #firsts = new Map<number, number>();
  #gathered: Gathered | undefined;

  constructor(
    private readonly target: TargetModel,
    private readonly network: DraftNetwork,
  ) {
    const { vocabSize, eosTokenIds } = target.config;
    const isPart = IN_PART[network.device.name] && target.head !== undefined && vocabSize >= SMALL;
    this.#limit = isPart ? Math.ceil(vocabSize * SHARE) : vocabSize;
    for (const token of eosTokenIds) if (token < vocabSize) this.#see(token, -1);
  }

  /** Sees the tokens of the text from position `from` on. */
  commit(tokens: readonly number[], from: number): void {
    for (const [index, token] of tokens.entries()) this.#see(token, from + index);
  }

  #see(token: number, position: number): void {
    if (token >= this.#limit && !this.#firsts.has(token)) this.#firsts.set(token, position);
  }

  /** Forgets what came from position `length` on. */
  trimTo(length: number): void {
    for (const [token, position] of this.#firsts) if (position >= length) this.#firsts.delete(token);
  }

  /** What a text of the first `length` positions has seen, maybe for other models; gathers for itself. */
  fork(length: number, target = this.target, network = this.network): DraftVocabulary {
    const copy = new DraftVocabulary(target, network);
    for (const [token, position] of this.#firsts) if (position < length) copy.#see(token, position);
    return copy;
  }

  /** Logits of states [1, rows, hiddenSize], after the final norm, behind `anchor`. Lazy; call inside a scope. */
  logits(states: mx.MxArray, anchor: number): Pick<ProposedLogits, 'logits' | 'columns'> {
    const { target, network } = this;
    const limit = this.#limit;
    const { head, config } = target;
    if (head === undefined || limit === config.vocabSize) {
      return { logits: mx.add(target.logits(states), network.penalty) };
    }
    const first = partOf(head, (array, axis) => mx.slice(array, axis, 0, limit));
    const isForbidden = network.config.maskTokenId < limit;
    const logits = target.logits(states, first);
    const frequent = isForbidden ? mx.add(logits, mx.slice(network.penalty, 0, 0, limit)) : logits;
    const others = this.#others(anchor);
    if (others.length === 0) return { logits: frequent, columns: new Columns(limit, others) };
    const gathered = this.#gather(head, others);
    const rare = target.logits(states, gathered.head);
    return { logits: mx.concatenate([frequent, rare], 2), columns: gathered.columns };
  }

  /** What has been gathered, to evaluate with a step. */
  arrays(): mx.MxArray[] {
    const { head, columns } = this.#gathered ?? {};
    return arraysIn([head?.weights, head?.bias, columns?.table]);
  }

  dispose(): void {
    dispose(this.arrays());
    this.#gathered = undefined;
  }

  /** The anchor belongs to the text as well, though no state holds it yet. */
  #others(anchor: number): number[] {
    const seen = new Set(this.#firsts.keys());
    if (anchor >= this.#limit) seen.add(anchor);
    seen.delete(this.network.config.maskTokenId);
    return [...seen];
  }

  /** The rows of the head, copied again only when there are others than before. */
  #gather(head: Linear, tokens: readonly number[]): Gathered {
    const last = this.#gathered;
    if (last && areEqual(last.columns.others, tokens)) return last;
    const ids = tokenArray(tokens, this.target.config.vocabSize);
    const columns = new Columns(this.#limit, tokens, Columns.table(this.#limit, ids));
    this.dispose();
    this.#gathered = { columns, head: partOf(head, (array, axis) => takeAlong(array, ids, axis)) };
    for (const array of this.arrays()) keep(array);
    return this.#gathered;
  }
}

/** A product with some outputs of `head` only, which `pick` takes along an axis of all that is stored. */
function partOf({ weights, bias }: Linear, pick: (array: mx.MxArray, axis: number) => mx.MxArray): Linear {
  const picked =
    'transposed' in weights
      ? { transposed: pick(weights.transposed, 1) }
      : {
          ...weights,
          weight: pick(weights.weight, 0),
          scales: pick(weights.scales, 0),
          biases: pick(weights.biases, 0),
        };
  return new Linear(picked, bias && pick(bias, 0));
}

/** Copies; of a transposed view what is stored, where each output lies in one piece. */
function takeAlong(array: mx.MxArray, ids: mx.MxArray, axis: number): mx.MxArray {
  if (axis === 0) return mx.take(array, ids);
  return mx.transpose(mx.take(mx.transpose(array, 1, 0), ids), 1, 0);
}

function areEqual(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((token, i) => token === b[i]);
}
