// The part of the vocabulary that drafts of one decode come from, and its logits. A draft is bound by what it reads, and
// most of that is the head; which tokens can be drafted changes how fast a text comes, never the text.
import { Columns } from '../columns';
import type { ProposedLogits } from '../drafter';
import type { Head } from '../linear';
import { dispose, keep } from '../memory';
import * as mx from '../ops';
import type { TargetModel } from '../target';
import { tokenArray } from '../tokenArray';

/**
 * Byte-pair ids come in the order of their merges, so the lowest quarter has the frequent tokens. With those of a
 * context of some 600 tokens it has 998 of 1000 that the embedded target says next (bench/NOTES.md).
 */
const SHARE = 1 / 4;
/** A head of fewer tokens costs less than the bookkeeping of a part. */
const SMALL = 8192;

/** The token that is never drafted, and what is added to all logits for that: 0, or -Infinity for it, [vocabSize]. */
export interface Forbidden {
  readonly token: number;
  readonly penalty: mx.MxArray;
}

interface Gathered {
  readonly tokens: readonly number[];
  /** Copies of the rows for these tokens. */
  readonly head: Head;
  readonly table: mx.MxArray;
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
    private readonly forbidden: Forbidden,
  ) {
    const { vocabSize, eosTokenIds } = target.config;
    const isPart = target.head !== undefined && vocabSize >= SMALL;
    this.#limit = isPart ? Math.ceil(vocabSize * SHARE) : vocabSize;
    this.#see(
      eosTokenIds.filter((token) => token < vocabSize),
      () => -1,
    );
  }

  /** Sees the tokens of the text from position `from` on. */
  commit(tokens: readonly number[], from: number): void {
    this.#see(tokens, (index) => from + index);
  }

  #see(tokens: readonly number[], positionOf: (index: number) => number): void {
    for (const [index, token] of tokens.entries())
      if (token >= this.#limit && !this.#firsts.has(token)) this.#firsts.set(token, positionOf(index));
  }

  /** Forgets what came from position `length` on. */
  trimTo(length: number): void {
    for (const [token, position] of this.#firsts) if (position >= length) this.#firsts.delete(token);
  }

  /** What a text of the first `length` positions has seen, maybe for other models; gathers for itself. */
  fork(length: number, target = this.target, forbidden = this.forbidden): DraftVocabulary {
    const copy = new DraftVocabulary(target, forbidden);
    for (const [token, position] of this.#firsts) if (position < length) copy.#firsts.set(token, position);
    return copy;
  }

  /** Logits of states [1, rows, hiddenSize], after the final norm, behind `anchor`. Lazy; call inside a scope. */
  logits(states: mx.MxArray, anchor: number): Pick<ProposedLogits, 'logits' | 'columns'> {
    const { head, config } = this.target;
    if (head === undefined || this.#limit === config.vocabSize) {
      return { logits: mx.add(this.target.logits(states), this.forbidden.penalty) };
    }
    const frequent = this.#withoutForbidden(this.target.logits(states, head.first(this.#limit)));
    const others = this.#others(anchor);
    if (others.length === 0) return { logits: frequent, columns: new Columns(this.#limit, others) };
    const gathered = this.#gather(head, others);
    const rare = this.target.logits(states, gathered.head);
    return { logits: mx.concatenate([frequent, rare], 2), columns: gathered.columns };
  }

  /** What has been gathered, to evaluate with a step. */
  arrays(): mx.MxArray[] {
    return this.#gathered ? [...this.#gathered.head.arrays(), this.#gathered.table] : [];
  }

  dispose(): void {
    dispose(this.arrays());
    this.#gathered = undefined;
  }

  #withoutForbidden(logits: mx.MxArray): mx.MxArray {
    const { token, penalty } = this.forbidden;
    return token < this.#limit ? mx.add(logits, mx.slice(penalty, 0, 0, this.#limit)) : logits;
  }

  /** The anchor belongs to the text as well, though no state holds it yet. */
  #others(anchor: number): number[] {
    const seen = new Set(this.#firsts.keys());
    if (anchor >= this.#limit) seen.add(anchor);
    seen.delete(this.forbidden.token);
    return [...seen];
  }

  /** The rows of the head, copied again only when there are others than before. */
  #gather(head: Head, tokens: readonly number[]): Gathered {
    const last = this.#gathered;
    if (last && areEqual(last.tokens, tokens)) return last;
    const ids = tokenArray(tokens, this.target.config.vocabSize);
    const table = Columns.table(this.#limit, ids);
    const columns = new Columns(this.#limit, tokens, table);
    this.dispose();
    this.#gathered = { tokens, head: head.at(ids), table, columns };
    for (const array of this.arrays()) keep(array);
    return this.#gathered;
  }
}

function areEqual(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((token, i) => token === b[i]);
}
