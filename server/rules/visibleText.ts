// Text of models, files and servers as a terminal or a log may show it: a terminal obeys control characters, which can set
// its title, fill the clipboard or hide what comes before.

const OBEYED = /\r(?!\n)|[^\P{Cc}\r\n\t]|[\p{Bidi_Control}\u2028\u2029]/gu;
const PICTURES = 0x2400;
const DELETE = 0x7f;

/** The same with what a terminal obeys as pictures or numbers, but for tabs and line ends: `␛[2J`, `\u009b`. */
export function visibleText(text: string): string {
  return text.replace(OBEYED, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(PICTURES + code);
    return code === DELETE ? '\u2421' : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
