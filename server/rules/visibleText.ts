// Makes text of models, files and servers safe for terminals and logs, and finds the characters that make it unsafe.
// Terminals obey control characters, which can set the title, fill the clipboard or hide text, and they do not show
// invisible characters.
import { isUtf8 } from 'node:buffer';

/** First code of the Unicode block of control pictures, such as \u241b for Escape. */
const PICTURES = 0x2400;

const DELETE = 0x7f;

/** Pattern of control and invisible characters. Emoji and some words contain some of these. */
const UNSEEN = String.raw`\r(?!\n)|[\p{Cc}--[\r\n\t]]|[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`;

/** A picture with its modifiers. Clients leave the selector \ufe0f out in many emoji. */
const PICTURE = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}?[\ufe0e\ufe0f]?`;
/** Scripts whose letters change their form at joiners, in the ordinary spelling of words. */
const JOINING_SCRIPTS = [
  ...['Arab', 'Syrc', 'Nkoo', 'Adlm', 'Rohg', 'Mong'],
  ...['Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh', 'Mymr', 'Khmr'],
];
const JOINED = `[[${JOINING_SCRIPTS.map((script) => `\\p{scx=${script}}`).join('')}]&&[\\p{L}\\p{M}]]`;
/** Invisible characters as a part of visible text. A selector after a character of an identifier is not such a part. */
const SPELLINGS = [
  String.raw`\p{RGI_Emoji_Tag_Sequence}`,
  String.raw`[0-9#*]\ufe0f?\u20e3`,
  String.raw`${PICTURE}(?:\u200d${PICTURE})*`,
  String.raw`[[\p{S}\p{P}]--[\p{ASCII}\p{ID_Continue}]][\ufe0e\ufe0f]`,
  String.raw`\p{scx=Han}[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=${JOINED})\p{Join_Control}(?=${JOINED})`,
];

const SPELLED_OR_UNSEEN = new RegExp(`${SPELLINGS.join('|')}|(?<unseen>${UNSEEN})`, 'gv');

/** Replaces control and invisible characters except tabs, line ends and parts of visible text: `␛[2J`, `\u200b`. */
export function visibleText(text: string): string {
  return text.replace(SPELLED_OR_UNSEEN, (found, unseen?: string) => {
    if (unseen === undefined) return found;
    const code = unseen.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCharCode(PICTURES + code);
    if (code === DELETE) return '\u2421';
    const digits = code.toString(16);
    return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
  });
}

/**
 * Returns the index of the first control or invisible character of `text` that none of `others` has; undefined if
 * there is none. Parts of emoji, symbols and words do not count.
 */
export function newUnseenAt(text: string, others: readonly string[]): number | undefined {
  for (const { index, groups } of text.matchAll(SPELLED_OR_UNSEEN)) {
    const unseen = groups?.['unseen'];
    if (unseen !== undefined && !others.some((part) => part.includes(unseen))) return index;
  }
  return undefined;
}

/** Characters that `visibleText` replaces, even within emoji, except those that JSON itself escapes. */
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
