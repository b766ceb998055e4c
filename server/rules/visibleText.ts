// Makes text of models, files and servers safe for terminals and logs, and finds the characters that make it unsafe.
// Terminals obey control characters, which can set the title, fill the clipboard or hide text, and they do not show
// invisible characters.
import { isUtf8 } from 'node:buffer';

/** First code of the Unicode block of control pictures, such as \u241b for Escape. */
const PICTURES = 0x2400;

const DELETE = 0x7f;

/** Pattern of control and invisible characters. Emoji contain some of these. */
const UNSEEN = String.raw`\r(?!\n)|[\p{Cc}--[\r\n\t]]|[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`;

/** Emoji, also joined ones that make no single picture, such as the beginning of a family. */
const EMOJI = String.raw`\p{RGI_Emoji}(?:\u200d\p{RGI_Emoji})*`;

const EMOJI_OR_UNSEEN = new RegExp(`${EMOJI}|(?<unseen>${UNSEEN})`, 'gv');

/** Replaces control and invisible characters except tabs and line ends: `␛[2J`, `\u200b`. */
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

/**
 * Returns the index of the first control or invisible character of `text` that no part of the document has; undefined
 * without one. Those in emoji do not count.
 */
export function newUnseenAt(text: string, document: readonly string[]): number | undefined {
  for (const { index, groups } of text.matchAll(EMOJI_OR_UNSEEN)) {
    const unseen = groups?.['unseen'];
    if (unseen !== undefined && !document.some((part) => part.includes(unseen))) return index;
  }
  return undefined;
}

/** Characters that `visibleText` replaces, also within emoji, without those that JSON itself escapes. */
const UNSEEN_IN_JSON = /[\x7f-\x9f\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

/** Returns the JSON of a value for a terminal, with control and invisible characters escaped. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSEEN_IN_JSON, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** Returns the bytes of a token as text; parts of a character are escaped as in OpenAI's API, such as \xf0\x9f. */
export function bytesText(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes).toString();
  const spelled = (byte: number): string =>
    byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`;
  return Array.from(bytes, spelled).join('');
}
