// The bytes of tokens, as a token can be only a part of a character. Vocabularies spell bytes in one of two ways.

/** SentencePiece's spelling of a byte, such as <0xE2>. */
const BYTE = /^<0x([\dA-F]{2})>$/i;

/**
 * GPT-2's alphabet: a visible character for every byte. A visible byte is its own character, the others have the
 * characters from U+0100 on.
 */
const ALPHABET = alphabet();
const LETTERS = [...ALPHABET].sort(([, a], [, b]) => a - b).map(([letter]) => letter);
/** Matches texts that GPT-2's alphabet leaves unchanged. */
const SAME = /^[!-~]*$/;

/** SentencePiece's spelling of each byte. */
const BYTE_SPELLINGS = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
);

/** Returns the bytes of a token by its spelling in the vocabulary; undefined for a token that is spelled as text. */
export function tokenBytes(spelling: string): Uint8Array | undefined {
  const [, hex] = BYTE.exec(spelling) ?? [];
  if (hex !== undefined) return Uint8Array.of(parseInt(hex, 16));
  const bytes = [...spelling].map((letter) => ALPHABET.get(letter));
  return bytes.every((byte) => byte !== undefined) ? Uint8Array.from(bytes) : undefined;
}

/** Spells a text in GPT-2's alphabet, one letter per byte. */
export function byteLetters(text: string): string {
  if (SAME.test(text)) return text;
  let letters = '';
  for (const byte of Buffer.from(text)) letters += LETTERS[byte] ?? '';
  return letters;
}

/**
 * Returns the ids of the bytes of a text in SentencePiece's spelling; undefined unless the vocabulary has all of them,
 * and for an empty text.
 */
export function byteIds(text: string, ids: ReadonlyMap<string, number>): number[] | undefined {
  const all = [...Buffer.from(text)].map((byte) => ids.get(BYTE_SPELLINGS[byte] ?? ''));
  return text !== '' && all.every((id) => id !== undefined) ? all : undefined;
}

function alphabet(): ReadonlyMap<string, number> {
  const isVisible = (byte: number): boolean => byte > 0x20 && byte !== 0xad && (byte < 0x7f || byte > 0xa0);
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  const invisible = bytes.filter((byte) => !isVisible(byte));
  return new Map([
    ...bytes.filter(isVisible).map((byte) => [String.fromCodePoint(byte), byte] as const),
    ...invisible.map((byte, i) => [String.fromCodePoint(0x100 + i), byte] as const),
  ]);
}
