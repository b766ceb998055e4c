// The bytes of a token as text.
import { isUtf8 } from 'node:buffer';

/** For people and JSON: part of a character as OpenAI's API has it, such as \xf0\x9f. */
export function bytesText(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes).toString();
  const spelled = (byte: number): string =>
    byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`;
  return Array.from(bytes, spelled).join('');
}
