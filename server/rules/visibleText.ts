// Text of models, files and servers as a terminal or a log may show it: a terminal obeys control characters, which can set
// its title, fill the clipboard or hide what comes before, and shows nothing of characters that people cannot see.
import { isUtf8 } from 'node:buffer';

const PICTURES = 0x2400;
const DELETE = 0x7f;
/** The second half of the pattern; emoji are made of some of these. */
const UNSEEN = String.raw`\r(?!\n)|[\p{Cc}--[\r\n\t]]|[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`;
const EMOJI_OR_UNSEEN = new RegExp(String.raw`\p{RGI_Emoji}|(?<unseen>${UNSEEN})`, 'gv');

/** The same with what is obeyed or unseen as pictures or numbers, but for tabs and line ends: `␛[2J`, `\u200b`. */
export function visibleText(text: string): string {
  return text.replace(EMOJI_OR_UNSEEN, (found, unseen?: string) => {
    if (unseen === undefined) return found;
    const code = unseen.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCharCode(PICTURES + code);
    if (code === DELETE) return '\u2421';
    const digits = code.toString(16);
    return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
  });
}

/** The bytes of a token, for people and JSON: part of a character as OpenAI's API has it, such as \xf0\x9f. */
export function bytesText(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes).toString();
  const spelled = (byte: number): string =>
    byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`;
  return Array.from(bytes, spelled).join('');
}
