// Values of a JSON file read from its bytes, without a text or an object of the whole. Takes only what JSON.parse takes.

const [QUOTE, BACKSLASH, COMMA, ZERO, NINE] = [0x22, 0x5c, 0x2c, 0x30, 0x39];
/** Brackets and braces differ in this bit only. */
const CURLY = 0x20;
const [OPENING, CLOSING] = [0x7b, 0x7d];
const HEX = 'u'.charCodeAt(0);
const ESCAPED = new Map(
  [...'"\\/bfnrt'].map((name, i) => [name.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(i)]),
);

/** Writes beyond its end go nowhere. */
const NOWHERE = new Uint16Array();

/** Where a value begins and ends. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export class JsonBytes {
  #at: number;
  readonly #bytes: Buffer;

  /** `bytes` are UTF-8, perhaps with a byte order mark. */
  constructor(bytes: Buffer, { from, to }: Range = { from: bytes[0] === 0xef ? 3 : 0, to: bytes.length }) {
    this.#at = from;
    this.#bytes = bytes.subarray(0, to);
  }

  /** Whether a character is the last one; reads it then. */
  ends(character: string): boolean {
    return this.takes(character) && this.#next() === 0 && this.left === 0;
  }

  /** How many bytes there still are. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** The elements of a list in runs of at least some bytes; returns whether it is a list up to the end. */
  *runs(bytes: number): Generator<Range, boolean> {
    let next = '[';
    while (this.takes(next)) {
      const from = this.#at;
      this.#skip();
      while (this.#at - from < bytes && this.takes(',')) this.#skip();
      yield { from, to: this.#at };
      next = ',';
    }
    return this.ends(']');
  }

  /** Where the values of an object are, by their names as they are written. */
  members(): ReadonlyMap<string, Range> {
    const members = new Map<string, Range>();
    if (!this.takes('{')) return members;
    do {
      this.#next();
      const [nameFrom, length] = [this.#at + 1, this.text(NOWHERE, 0)];
      const name = this.#bytes.toString('utf8', nameFrom, this.#at - 1);
      if (length === undefined || !this.takes(':')) {
        // Nothing ends here.
        this.#at = this.#bytes.length;
        break;
      }
      this.#next();
      const from = this.#at;
      this.#skip();
      members.set(name, { from, to: this.#at });
    } while (this.takes(','));
    return members;
  }

  /** Whether a character is the next one, behind white space; reads it then. */
  takes(character: string): boolean {
    const isNext = this.#next() === character.charCodeAt(0);
    if (isNext) this.#at++;
    return isNext;
  }

  /** NaN if something else is next. */
  integer(): number {
    let integer = NaN;
    // No digit follows a zero at the beginning.
    for (
      let byte = this.#next();
      byte >= ZERO && byte <= NINE && integer !== 0;
      byte = this.#bytes[this.#at] ?? 0
    ) {
      integer = 10 * (integer || 0) + byte - ZERO;
      this.#at++;
    }
    return integer;
  }

  /** Writes a text into `units` from `to` on and returns where it ends; undefined if something else is next. */
  text(units: Uint16Array, to: number): number | undefined {
    if (!this.takes('"')) return undefined;
    const bytes = this.#bytes;
    for (let at = this.#at; at < bytes.length;) {
      const byte = bytes[at++] ?? 0;
      if (byte === QUOTE) {
        this.#at = at;
        return to;
      }
      if (byte < 0x20) return undefined;
      if (byte === BACKSLASH) {
        const name = bytes[at++] ?? 0;
        const hex = name === HEX ? String.fromCharCode(...bytes.subarray(at, at + 4)) : '';
        const code = name === HEX ? Number(`0x${hex}`) : ESCAPED.get(name);
        if (code === undefined || Number.isNaN(code)) return undefined;
        at += hex.length;
        units[to++] = code;
      } else if (byte < 0x80) units[to++] = byte;
      else {
        let code = byte & (byte < 0xe0 ? 0x1f : byte < 0xf0 ? 0xf : 0x7);
        for (const more = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3, end = at + more; at < end; at++)
          code = (code << 6) | ((bytes[at] ?? 0) & 0x3f);
        if (code > 0xffff) units[to++] = 0xd7c0 + (code >> 10);
        units[to++] = code > 0xffff ? 0xdc00 | (code & 0x3ff) : code;
      }
    }
    return undefined;
  }

  /** What comes next, behind white space. */
  #next(): number {
    let byte = this.#bytes[this.#at] ?? 0;
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)
      byte = this.#bytes[++this.#at] ?? 0;
    return byte;
  }

  /** To what is behind a value. */
  #skip(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    let isText = false;
    for (let levels = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) isText = !isText;
      else if (isText) at += byte === BACKSLASH ? 1 : 0;
      else if ((byte | CURLY) === OPENING) levels++;
      else if (((byte | CURLY) === CLOSING && levels-- === 0) || (byte === COMMA && levels === 0)) break;
    }
    this.#at = at;
  }
}
