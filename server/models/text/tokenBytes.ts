// The bytes of a token, which may be part of a character: vocabularies spell them in one of two ways.

/** SentencePiece's tokens of one byte, such as <0xE2>. */
const BYTE = /^<0x([\dA-F]{2})>$/i;

/** GPT-2's alphabet, in which every byte is a visible character: its own where it has one, others from U+0100 on. */
const ALPHABET = alphabet();
const LETTERS = [...ALPHABET].sort(([, one], [, other]) => one - other).map(([letter]) => letter);
/** What is the same in that alphabet. */
const SAME = /^[!-~]*$/;

const NAMES = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
);

/** Of a token as the vocabulary spells it; undefined for one that is spelled as text. */
export function tokenBytes(spelling: string): Uint8Array | undefined {
  const [, hex] = BYTE.exec(spelling) ?? [];
  if (hex !== undefined) return Uint8Array.of(parseInt(hex, 16));
  const bytes = [...spelling].map((letter) => ALPHABET.get(letter));
  return bytes.every((byte) => byte !== undefined) ? Uint8Array.from(bytes) : undefined;
}

/** A text in that alphabet, a letter for each of its bytes. */
export function byteLetters(text: string): string {
  if (SAME.test(text)) return text;
  let letters = '';
  for (const byte of Buffer.from(text)) letters += LETTERS[byte] ?? '';
  return letters;
}

/** The tokens of the bytes of a text in SentencePiece's spelling; undefined unless a vocabulary has all of them. */
export function byteIds(text: string, ids: ReadonlyMap<string, number>): number[] | undefined {
  const all = [...Buffer.from(text)].map((byte) => ids.get(NAMES[byte] ?? ''));
  return text !== '' && all.every((id) => id !== undefined) ? all : undefined;
}

function alphabet(): ReadonlyMap<string, number> {
  const isVisible = (byte: number): boolean => byte > 0x20 && byte !== 0xad && (byte < 0x7f || byte > 0xa0);
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  const others = bytes.filter((byte) => !isVisible(byte));
  return new Map([
    ...bytes.filter(isVisible).map((byte) => [String.fromCodePoint(byte), byte] as const),
    ...others.map((byte, i) => [String.fromCodePoint(0x100 + i), byte] as const),
  ]);
}

/** Returns the bytes that a token adds to the text of an output: a special token adds none unless it is `spelled`. */
export function outputBytes(
  tokenizer: { readonly bytes: (token: number, special?: 'left out') => Uint8Array },
  spelled: readonly number[] = [],
): (token: number) => Uint8Array {
  const spelledIds = new Set(spelled);
  return (token) => tokenizer.bytes(token, spelledIds.has(token) ? undefined : 'left out');
}

// Tokens to text, piece by piece. A character whose bytes are spread over tokens is held back until it is whole; at the
// end of an output, one that never became whole is left out.

/** At most this many tokens hold the bytes of a character that is not whole yet. */
const BEGUN = 3;

export class Detokenizer {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The last ones that have bytes. */
  #last: readonly number[] = [];

  /** The text of the tokens `before` is not part of any piece. */
  constructor(
    private readonly bytesOf: (token: number) => Uint8Array,
    before: readonly number[] = [],
  ) {
    for (const token of before.slice(-BEGUN)) this.push(token);
  }

  /** The text of the characters that `token` completes. */
  push(token: number): string {
    const bytes = this.bytesOf(token);
    if (bytes.length > 0) this.#last = [...this.#last.slice(1 - BEGUN), token];
    return this.#decoder.decode(bytes, { stream: true });
  }

  /** The text that these tokens would complete; they are not taken. */
  peek(tokens: readonly number[]): string {
    const ahead = new Detokenizer(this.bytesOf, this.#last);
    return tokens.map((token) => ahead.push(token)).join('');
  }
}
