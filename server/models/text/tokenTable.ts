// The tokens of a vocabulary and their ids as lists of numbers: a map of a hundred thousand strings would take most of
// the load time, and many times the memory.
import type { JsonBytes } from './jsonBytes';

const LINE_END = 0x0a;
const SPACE = 0x20;
/** Upper bound of token ids, far above any vocabulary: a list has as many entries as the largest id. */
export const MAX_IDS = 2 ** 22;
const NONE = -1;

/** A vocabulary of byte pairs. */
export interface PairLists {
  readonly tokens: TokenTable;
  /** Three ids per merge: both tokens of the pair, and the merged token. */
  readonly merges: Int32Array;
}

/**
 * A map from tokens to ids. Iterating lists only the tokens that were set after reading the file; `get` and `has` also
 * find those of the file.
 */
export class TokenTable extends Map<string, number> {
  /** UTF-16 units of all tokens, one after the other. */
  readonly #units: Uint16Array;
  /** Index of the first unit of each token. */
  readonly #starts: Int32Array;
  readonly #ids: Int32Array;
  /** Index of a token in the lists plus 1, by its hash; 0 is an empty slot. */
  readonly #slots: Int32Array;
  /** Index of a token in the lists plus 1, by its id; 0 for ids without a token. */
  readonly #byId: Int32Array;
  /** Buffer for the units of the text to look up. */
  #query: Uint16Array;

  /** Reads an object of tokens and their ids. Throws SyntaxError for anything else. */
  static read(json: JsonBytes): TokenTable {
    const units = new Uint16Array(json.left);
    // A token, its id and the characters between them are at least five characters.
    const starts = new Int32Array(json.left / 5 + 2);
    const ids = new Int32Array(json.left / 5 + 2);
    let count = 0;
    for (let more = json.enter('{}'); more; more = json.another('{}')) {
      const start = starts[count] ?? 0;
      starts[count + 1] = json.text(units, start);
      json.read(':');
      const id = json.integer();
      if (!isTokenId(id)) throw new SyntaxError('Expected the id of a token');
      ids[count++] = id;
    }
    return new TokenTable(units, starts, ids.subarray(0, count));
  }

  private constructor(units: Uint16Array, starts: Int32Array, ids: Int32Array) {
    super();
    this.#units = units.slice(0, starts[ids.length]);
    this.#starts = starts.slice(0, ids.length + 1);
    this.#ids = ids.slice();
    this.#query = new Uint16Array(64);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * ids.length + 2)));
    this.#byId = new Int32Array(ids.reduce((largest, id) => Math.max(largest, id), 0) + 1);
    for (let i = 0; i < ids.length; i++) {
      this.#slots[this.#slot(units, starts[i] ?? 0, starts[i + 1] ?? 0)] = i + 1;
      this.#byId[ids[i] ?? 0] = i + 1;
    }
  }

  override get(token: string): number | undefined {
    const { length } = token;
    if (length > this.#query.length) this.#query = new Uint16Array(2 * length);
    for (let i = 0; i < length; i++) this.#query[i] = token.charCodeAt(i);
    const id = super.get(token) ?? this.#find(this.#query, 0, length);
    return id === NONE ? undefined : id;
  }

  override has(token: string): boolean {
    return this.get(token) !== undefined;
  }

  /** Returns the token of the file with this id; undefined if it has none. */
  token(id: number): string | undefined {
    const index = (this.#byId[id] ?? 0) - 1;
    return index < 0 ? undefined : this.#text(index);
  }

  /** Lists the tokens of the file that contain a line end. */
  *withLineEnds(): Generator<readonly [token: string, id: number]> {
    let index = 0;
    for (let at = this.#units.indexOf(LINE_END); at >= 0; at = this.#units.indexOf(LINE_END, at)) {
      while ((this.#starts[index + 1] ?? Infinity) <= at) index++;
      yield [this.#text(index), this.#ids[index] ?? 0];
      at = this.#starts[index + 1] ?? 0;
    }
  }

  /** Reads a list of merges. Throws SyntaxError for anything else, and for unknown tokens. */
  readMerges(json: JsonBytes): Int32Array {
    const merges = new Int32Array(3 * (json.left / 4 + 1));
    const units = new Uint16Array(json.left);
    let count = 0;
    for (let more = json.enter('[]'); more; more = json.another('[]')) {
      const [middle, end] = readPair(json, units);
      merges[count++] = this.#find(units, 0, middle);
      merges[count++] = this.#find(units, middle, end);
      merges[count++] = this.#find(units, 0, end);
    }
    if (merges.includes(NONE)) throw new SyntaxError('Expected merges of tokens');
    return merges.slice(0, count);
  }

  #text(index: number): string {
    const { buffer } = this.#units;
    return Buffer.from(buffer).toString(
      'utf16le',
      2 * (this.#starts[index] ?? 0),
      2 * (this.#starts[index + 1] ?? 0),
    );
  }

  #find(units: Uint16Array, from: number, to: number): number {
    const index = (this.#slots[this.#slot(units, from, to)] ?? 0) - 1;
    return this.#ids[index] ?? NONE;
  }

  /** Returns the slot of a text, or the empty slot where it belongs. */
  #slot(units: Uint16Array, from: number, to: number): number {
    let hash = to - from;
    for (let i = from; i < to; i++) hash = Math.imul(hash ^ (units[i] ?? 0), 0x9e3779b1) ^ (hash >>> 15);
    const slots = this.#slots;
    const starts = this.#starts;
    const unitTable = this.#units;
    const last = slots.length - 1;
    for (let slot = (hash ^ (hash >>> 16)) & last; ; slot = (slot + 1) & last) {
      const index = (slots[slot] ?? 0) - 1;
      if (index < 0) return slot;
      const start = starts[index] ?? 0;
      // Begins beyond `to` if the lengths differ, so that the texts count as different.
      let i = (starts[index + 1] ?? 0) - start === to - from ? from : to + 1;
      while (i < to && unitTable[start + i - from] === units[i]) i++;
      if (i === to) return slot;
    }
  }
}

/**
 * Reads a pair, written as a list of two texts or as one text with a space between them, into `units` without the
 * space. Returns the index at which the second text begins, and the index at which it ends.
 */
function readPair(json: JsonBytes, units: Uint16Array): readonly [middle: number, end: number] {
  if (json.takes('[')) {
    const middle = json.text(units, 0);
    json.read(',');
    const end = json.text(units, middle);
    json.read(']');
    return [middle, end];
  }
  const end = json.text(units, 0) - 1;
  let middle = 1;
  while (middle <= end && units[middle] !== SPACE) middle++;
  if (middle > end) throw new SyntaxError('Expected two tokens');
  units.copyWithin(middle, middle + 1, end + 1);
  return [middle, end];
}

/** Returns whether a value can be the id of a token. */
export function isTokenId(id: unknown): id is number {
  return typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < MAX_IDS;
}
