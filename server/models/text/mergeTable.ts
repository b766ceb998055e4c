// The merges of byte-pair encoding: the pairs of tokens that become one, in order of priority. Stored as lists of
// numbers with a hash table.

/** Upper bound of the letters in a word; an entry of the queue is a rank times this plus a position in the word. */
const MAX_LETTERS = 2 ** 26;
/** Rank of a pair that is not merged, id of a letter that was merged away, and position before the first letter. */
const NONE = -1;

/** A priority queue of numbers, the smallest first: a binary heap. */
class Queue {
  readonly #heap: number[] = [];

  push(entry: number): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] ?? 0;
      if (above <= entry) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  pop(): number | undefined {
    const heap = this.#heap;
    const [smallest] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return smallest;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if ((heap[child + 1] ?? Infinity) < (heap[child] ?? 0)) child++;
      const below = heap[child] ?? 0;
      if (below >= last) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return smallest;
  }
}

export class MergeTable {
  /** Ranks plus 1, by the hash of the pair; 0 is an empty slot. */
  readonly #slots: Int32Array;
  readonly #shift: number;

  /** `merges` has three ids per merge, in order of rank: both tokens of the pair, and the merged token. */
  constructor(private readonly merges: Int32Array) {
    const bits = Math.ceil(Math.log2((2 / 3) * merges.length + 2));
    this.#shift = 32 - bits;
    this.#slots = new Int32Array(2 ** bits);
    for (let rank = 0; rank < merges.length / 3; rank++)
      this.#slots[this.#slot(merges[3 * rank] ?? 0, merges[3 * rank + 1] ?? 0)] = rank + 1;
  }

  /** Merges `ids`, the letters of a word, in place, and returns its tokens. */
  apply(ids: number[]): readonly number[] {
    const { length } = ids;
    // Positions of the remaining letters before and after each letter.
    const before = Int32Array.from(ids, (_, i) => i - 1);
    const after = Int32Array.from(ids, (_, i) => i + 1);
    /** Rank of the pair that begins at each position. */
    const ranks = new Int32Array(length).fill(NONE);
    const queue = new Queue();
    const enqueue = (position: number): void => {
      const next = after[position] ?? length;
      const rank = next < length ? this.#rank(ids[position] ?? NONE, ids[next] ?? NONE) : NONE;
      ranks[position] = rank;
      if (rank !== NONE) queue.push(rank * MAX_LETTERS + position);
    };
    for (let position = 0; position < length - 1; position++) enqueue(position);
    for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) {
      const position = entry % MAX_LETTERS;
      const rank = (entry - position) / MAX_LETTERS;
      // The pair has changed since it was queued.
      if (ranks[position] !== rank) continue;
      const gone = after[position] ?? length;
      const next = after[gone] ?? length;
      ids[position] = this.merges[3 * rank + 2] ?? NONE;
      ids[gone] = NONE;
      ranks[gone] = NONE;
      after[position] = next;
      if (next < length) before[next] = position;
      const previous = before[position] ?? NONE;
      if (previous !== NONE) enqueue(previous);
      enqueue(position);
    }
    return ids.filter((id) => id !== NONE);
  }

  #rank(left: number, right: number): number {
    return (this.#slots[this.#slot(left, right)] ?? 0) - 1;
  }

  /** Returns the slot of a pair, or the empty slot where it belongs. */
  #slot(left: number, right: number): number {
    let slot = (Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)) >>> this.#shift;
    for (;;) {
      const rank = (this.#slots[slot] ?? 0) - 1;
      if (rank === NONE || (this.merges[3 * rank] === left && this.merges[3 * rank + 1] === right))
        return slot;
      slot = (slot + 1) % this.#slots.length;
    }
  }
}
