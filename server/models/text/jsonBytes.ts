// Reads values from the bytes of JSON, without a string or an object of the whole. The values are those of JSON.parse;
// JSON of another form than the caller expects is a SyntaxError.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
/** Bit in which brackets and braces differ: with it, a bracket has the code of the brace. */
const CURLY = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
/** Letter of an escape with four hexadecimal digits. */
const HEX_ESCAPE = 'u'.charCodeAt(0);
/** Codes of characters by the code of the letter that follows a backslash. */
const ESCAPED = new Map(
  [...'"\\/bfnrt'].map((name, i) => [name.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(i)]),
);

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Empty typed array, which ignores writes: reading a text into it skips the text. */
const NOWHERE = new Uint16Array();

/** Range of bytes of a value, from `from` to before `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

type Brackets = '[]' | '{}';

export class JsonBytes {
  #at: number;
  readonly #bytes: Buffer;

  /** `bytes` are UTF-8, with or without a byte order mark. With `range`, only these bytes are read. */
  constructor(bytes: Buffer, range?: Range) {
    const { length } = BYTE_ORDER_MARK;
    const start = bytes.subarray(0, length).equals(BYTE_ORDER_MARK) ? length : 0;
    this.#at = range?.from ?? start;
    this.#bytes = bytes.subarray(0, range?.to);
  }

  /** Number of bytes left. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** Offset of the next byte that is not white space. */
  get here(): number {
    this.#next();
    return this.#at;
  }

  /** Reads the opening bracket of a list or an object, and returns whether it has an element. */
  enter(brackets: Brackets): boolean {
    this.read(brackets.charAt(0));
    return !this.takes(brackets.charAt(1));
  }

  /** Reads the comma before another element or the closing bracket, and returns whether there is another element. */
  another(brackets: Brackets): boolean {
    if (this.takes(',')) return true;
    this.read(brackets.charAt(1));
    return false;
  }

  /** Lists the ranges of the values of an object lazily: bytes after the last requested value are not read. */
  *entries(): Generator<readonly [name: string, value: Range]> {
    for (const name of this.names()) yield [name, this.#skip()];
    this.end();
  }

  /** Lists the names of an object. The caller can read the value after each name; otherwise it is skipped. */
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

  /** Throws SyntaxError unless all bytes were read. */
  end(): void {
    if (this.#next() !== 0 || this.left > 0) throw unexpected('the end', this.#at);
  }

  /** Reads a character, after white space, if it is the next one, and returns whether it was. */
  takes(character: string): boolean {
    const isNext = this.#next() === character.charCodeAt(0);
    if (isNext) this.#at++;
    return isNext;
  }

  /** Reads a character after white space. Throws SyntaxError if another one follows. */
  read(character: string): void {
    if (!this.takes(character)) throw unexpected(character, this.#at);
  }

  /** Reads the digits of a whole number; NaN if none follows. A minus sign is not a digit. */
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

  /** Reads a text into `units` from index `to` on, as UTF-16, and returns the index after it. */
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
        const hex = name === HEX_ESCAPE ? bytes.toString('latin1', at, at + 4) : '';
        const code = /^[\da-f]{4}$/i.test(hex) ? Number.parseInt(hex, 16) : ESCAPED.get(name);
        if (code === undefined) break;
        at += hex.length;
        units[to++] = code;
      } else if (byte < 0x80) units[to++] = byte;
      else {
        let code = byte & (byte < 0xe0 ? 0x1f : byte < 0xf0 ? 0xf : 0x7);
        for (const more = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3, end = at + more; at < end; at++)
          code = (code << 6) | ((bytes[at] ?? 0) & 0x3f);
        // Characters beyond U+FFFF become two surrogates.
        if (code > 0xffff) units[to++] = 0xd7c0 + (code >> 10);
        units[to++] = code > 0xffff ? 0xdc00 | (code & 0x3ff) : code;
      }
    }
    throw unexpected('a text', this.#at);
  }

  /** Skips white space and returns the next byte; 0 at the end. */
  #next(): number {
    let byte = this.#bytes[this.#at] ?? 0;
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)
      byte = this.#bytes[++this.#at] ?? 0;
    return byte;
  }

  /** Skips a value without checking it, and returns its range. */
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
      // The value ends before a comma at its own level, and before the closing bracket of the list or object around it.
      else if (((byte | CURLY) === CLOSING && levels-- === 0) || (byte === COMMA && levels === 0)) break;
    }
    if (at === from) throw unexpected('a value', at);
    this.#at = at;
    return { from, to: at };
  }
}

function unexpected(expected: string, at: number): SyntaxError {
  return new SyntaxError(`Expected ${expected} in JSON at byte ${String(at)}`);
}
