// JSON from outside: one of more levels could use up the stack of whoever looks at it, and takes seconds to parse.

export const MOST_LEVELS = 200;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Brackets and braces differ in this bit only. */
const CURLY = 0x20;
const [OPENING, CLOSING] = [0x7b, 0x7d];

/** Throws SyntaxError. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new SyntaxError(`more than ${String(MOST_LEVELS)} levels`);
  return JSON.parse(text);
}

/** Whether JSON has more. Looks at its text, which takes a hundredth of the time. */
export function isTooDeep(json: string): boolean {
  let levels = 0;
  let isText = false;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (code === QUOTE) isText = !isText;
    else if (isText) i += code === BACKSLASH ? 1 : 0;
    else if ((code | CURLY) === OPENING) levels++;
    else if ((code | CURLY) === CLOSING) levels--;
    if (levels > MOST_LEVELS) return true;
  }
  return false;
}
