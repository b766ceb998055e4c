// Which pairs of tokens become one, and in which order: lists of numbers, in which a pair is found by its hash.
import { quoted } from '../../rules/inputError';
import type { ConfigFields } from '../checkpoint/configFields';

/** A word has fewer letters; an entry of the queue is its rank times this and its place in the word. */
const PLACES = 2 ** 26;
/** What `rank` says of a pair that stays two. */
const NONE = -1;

export class MergeTable {
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  readonly #merged: Int32Array;
  /** Ranks, increased by one as 0 is an empty slot. */
  readonly #slots: Int32Array;
  readonly #shift: number;

  /** Throws InputError for merges of what is no token, as the Rust library does. */
  constructor(model: ConfigFields, ids: ReadonlyMap<string, number>) {
    const merges = model.raw('merges');
    if (!Array.isArray(merges)) throw model.refusal('a list of merges', quoted(merges));
    const bits = Math.ceil(Math.log2(2 * merges.length + 2));
    this.#shift = 32 - bits;
    this.#slots = new Int32Array(2 ** bits);
    this.#left = new Int32Array(merges.length);
    this.#right = new Int32Array(merges.length);
    this.#merged = new Int32Array(merges.length);
    for (let rank = 0; rank < merges.length; rank++) {
      const merge: unknown = merges[rank];
      const [left, right] = pairOf(merge);
      const [first, second, both] = [ids.get(left), ids.get(right), ids.get(left + right)];
      if (first === undefined || second === undefined || both === undefined)
        throw model.refusal('merges of tokens in the vocabulary', quoted(merge));
      this.#left[rank] = first;
      this.#right[rank] = second;
      this.#merged[rank] = both;
      this.#slots[this.#slot(first, second)] = rank + 1;
    }
  }

  /** Changes `ids`, the letters of a word, and returns its tokens. */
  apply(ids: number[]): readonly number[] {
    const { length } = ids;
    const before = Int32Array.from(ids, (_, i) => i - 1);
    const after = Int32Array.from(ids, (_, i) => i + 1);
    /** Of the pair that begins at a place. */
    const ranks = new Int32Array(length).fill(NONE);
    const queue = new Queue();
    const look = (place: number): void => {
      const next = after[place] ?? length;
      const rank = next < length ? this.#rank(ids[place] ?? NONE, ids[next] ?? NONE) : NONE;
      ranks[place] = rank;
      if (rank !== NONE) queue.push(rank * PLACES + place);
    };
    for (let place = 0; place < length - 1; place++) look(place);
    for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) {
      const place = entry % PLACES;
      const rank = (entry - place) / PLACES;
      if (ranks[place] !== rank) continue;
      const gone = after[place] ?? length;
      const next = after[gone] ?? length;
      ids[place] = this.#merged[rank] ?? NONE;
      ids[gone] = NONE;
      ranks[gone] = NONE;
      after[place] = next;
      if (next < length) before[next] = place;
      const previous = before[place] ?? NONE;
      if (previous !== NONE) look(previous);
      look(place);
    }
    return ids.filter((id) => id !== NONE);
  }

  #rank(left: number, right: number): number {
    return (this.#slots[this.#slot(left, right)] ?? 0) - 1;
  }

  /** The one of a pair, or the empty one for it. */
  #slot(left: number, right: number): number {
    let slot = (Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)) >>> this.#shift;
    for (;;) {
      const rank = (this.#slots[slot] ?? 0) - 1;
      if (rank === NONE || (this.#left[rank] === left && this.#right[rank] === right)) return slot;
      slot = (slot + 1) % this.#slots.length;
    }
  }
}

/** Written as a list of two, or as a text with a blank between them. */
function pairOf(merge: unknown): readonly [left: string, right: string] {
  if (typeof merge !== 'string') return isPair(merge) ? merge : ['', ''];
  const blank = merge.indexOf(' ', 1);
  return [merge.slice(0, blank), merge.slice(blank + 1)];
}

function isPair(merge: unknown): merge is [string, string] {
  return Array.isArray(merge) && merge.length === 2 && merge.every((token) => typeof token === 'string');
}

/** Numbers, the least first: a binary heap. */
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
    const [least] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return least;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if ((heap[child + 1] ?? Infinity) < (heap[child] ?? 0)) child++;
      const below = heap[child] ?? 0;
      if (below >= last) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return least;
  }
}
