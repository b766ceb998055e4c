// How many levels JSON from outside may have, so that looking at its value never uses up the stack.

export const MOST_LEVELS = 200;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Brackets and braces differ in this bit only. */
const CURLY = 0x20;
const [OPENING, CLOSING] = [0x7b, 0x7d];

/** Whether JSON has more. Looks at its text: a value of a hundred thousand fields takes four times as long. */
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
