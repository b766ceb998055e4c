// Values of JSON read from its bytes, without a text or an object of the whole. Throws SyntaxError for what it does not
// expect; what it reads, it takes as JSON.parse does.

const [QUOTE, BACKSLASH, COMMA, ZERO, NINE] = [0x22, 0x5c, 0x2c, 0x30, 0x39];
/** Brackets and braces differ in this bit only. */
const CURLY = 0x20;
const [OPENING, CLOSING] = [0x7b, 0x7d];
const HEX = 'u'.charCodeAt(0);
const ESCAPED = new Map(
  [...'"\\/bfnrt'].map((name, i) => [name.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(i)]),
);

const MARK = Buffer.from('\uFEFF');

/** Writes beyond its end go nowhere. */
const NOWHERE = new Uint16Array();

/** Where a value begins and ends. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

type Brackets = '[]' | '{}';

export class JsonBytes {
  #at: number;
  readonly #bytes: Buffer;

  /** `bytes` are UTF-8, perhaps with a byte order mark. */
  constructor(bytes: Buffer, range?: Range) {
    const start = bytes.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0;
    this.#at = range?.from ?? start;
    this.#bytes = bytes.subarray(0, range?.to);
  }

  /** How many bytes there still are. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** Where the next value begins, or what closes the ones before. */
  get here(): number {
    this.#next();
    return this.#at;
  }

  /** Reads the bracket before a list or an object, and whether there is an element. */
  enter(brackets: Brackets): boolean {
    this.read(brackets.charAt(0));
    return !this.takes(brackets.charAt(1));
  }

  /** Whether there is another element; reads the comma before it, or the bracket after the last one. */
  another(brackets: Brackets): boolean {
    if (this.takes(',')) return true;
    this.read(brackets.charAt(1));
    return false;
  }

  /** Where the elements of a list are, in runs of at least some bytes. */
  *runs(bytes: number): Generator<Range> {
    for (let more = this.enter('[]'); more; more = this.another('[]')) {
      const { from } = this.#skip();
      while (this.#at - from < bytes && this.takes(',')) this.#skip();
      yield { from, to: this.#at };
    }
    this.end();
  }

  /** Where the values of an object are, one by one: what stands behind those that are asked for is not looked at. */
  *entries(): Generator<readonly [name: string, value: Range]> {
    for (const name of this.names()) yield [name, this.#skip()];
    this.end();
  }

  /** The names of an object: whoever takes one may read its value, which is passed over otherwise. */
  *names(): Generator<string> {
    for (let more = this.enter('{}'); more; more = this.another('{}')) {
      const from = this.here;
      this.text(NOWHERE, 0);
      const name = JSON.parse(this.#bytes.toString('utf8', from, this.#at)) as string;
      this.read(':');
      const value = this.#at;
      yield name;
      if (this.#at === value) this.#skip();
    }
  }

  end(): void {
    if (this.#next() !== 0 || this.left > 0) throw unexpected('the end', this.#at);
  }

  /** Whether a character is the next one, behind white space; reads it then. */
  takes(character: string): boolean {
    const isNext = this.#next() === character.charCodeAt(0);
    if (isNext) this.#at++;
    return isNext;
  }

  read(character: string): void {
    if (!this.takes(character)) throw unexpected(character, this.#at);
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

  /** Writes a text into `units` from `to` on and returns where it ends. */
  text(units: Uint16Array, to: number): number {
    this.read('"');
    const bytes = this.#bytes;
    for (let at = this.#at; at < bytes.length;) {
      const byte = bytes[at++] ?? 0;
      if (byte === QUOTE) {
        this.#at = at;
        return to;
      }
      if (byte < 0x20) break;
      if (byte === BACKSLASH) {
        const name = bytes[at++] ?? 0;
        const hex = name === HEX ? bytes.toString('latin1', at, at + 4) : '';
        const code = /^[\da-f]{4}$/i.test(hex) ? Number.parseInt(hex, 16) : ESCAPED.get(name);
        if (code === undefined) break;
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
    throw unexpected('a text', this.#at);
  }

  /** What comes next, behind white space. */
  #next(): number {
    let byte = this.#bytes[this.#at] ?? 0;
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)
      byte = this.#bytes[++this.#at] ?? 0;
    return byte;
  }

  /** Where a value is; what it is made of is not looked at. */
  #skip(): Range {
    this.#next();
    const bytes = this.#bytes;
    const from = this.#at;
    let at = from;
    let isText = false;
    for (let levels = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) isText = !isText;
      else if (isText) at += byte === BACKSLASH ? 1 : 0;
      else if ((byte | CURLY) === OPENING) levels++;
      else if (((byte | CURLY) === CLOSING && levels-- === 0) || (byte === COMMA && levels === 0)) break;
    }
    if (at === from) throw unexpected('a value', at);
    this.#at = at;
    return { from, to: at };
  }
}

function unexpected(what: string, at: number): SyntaxError {
  return new SyntaxError(`Expected ${what} in JSON at byte ${String(at)}`);
}
