// What stands before a cursor on its line: the receiver of a member, and the function whose arguments are being written.
// Looks at brackets and dots only, so that it needs no grammar of any language.

/** Some text of a line, and where its last name begins. */
export interface NameBefore {
  readonly text: string;
  readonly at: number;
}

const RECEIVER =
  /(?:[\p{L}_$][\p{L}\p{N}_$]*\s*\??\.\s*)*?([\p{L}_$][\p{L}\p{N}_$]*)\s*\??\.\s*[\p{L}\p{N}_$]*$/u;
const CALLED = /(?:[\p{L}_$][\p{L}\p{N}_$]*\??\.)*([\p{L}_$][\p{L}\p{N}_$]*)$/u;
/** What the file itself says. */
const OWN = new Set(['this', 'self', 'super', 'cls']);
const BEFORE_BRACKETS = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'return',
  'function',
  'def',
  'class',
  'await',
]);

/** `this.db` at `this.db.que`; undefined where no name stands before the last dot, or the object itself. */
export function receiver(line: string): NameBefore | undefined {
  const found = RECEIVER.exec(line);
  return found && !OWN.has(found[1] ?? '')
    ? named(found[0].replace(/\s*\??\.[^.]*$/, ''), found.index)
    : undefined;
}

/** `db.open` at `db.open(path, `. */
export function calledName(line: string): NameBefore | undefined {
  let closed = 0;
  for (let i = line.length - 1; i >= 0; i--) {
    if (line[i] === ')') closed += 1;
    if (line[i] === '(' && (closed -= 1) < 0) {
      const found = CALLED.exec(line.slice(0, i));
      return found && !BEFORE_BRACKETS.has(found[1] ?? '') ? named(found[0], found.index) : undefined;
    }
  }
  return undefined;
}

function named(text: string, index: number): NameBefore {
  const own = /[\p{L}\p{N}_$]*$/u.exec(text)?.index ?? 0;
  return { text, at: index + own };
}
