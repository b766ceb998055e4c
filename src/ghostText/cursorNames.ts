// Finds names before the cursor on its line: the receiver of a member access, and the function whose arguments are
// being written. Brackets and dots suffice, so no grammar of a language is needed.

/** An expression before the cursor. */
export interface NameBefore {
  readonly text: string;
  /** Offset of its last name in the line. */
  readonly at: number;
}

/** Matches a member access at the end of a line, such as `this.db?.que`; its group is the last name of the receiver. */
const RECEIVER =
  /(?:[\p{L}_$][\p{L}\p{N}_$]*\s*\??\.\s*)*?([\p{L}_$][\p{L}\p{N}_$]*)\s*\??\.\s*[\p{L}\p{N}_$]*$/u;

/** Matches the name of a function at the end of a line, with its receivers; its group is the last name. */
const CALLED = /(?:[\p{L}_$][\p{L}\p{N}_$]*\??\.)*([\p{L}_$][\p{L}\p{N}_$]*)$/u;

/** Receivers that are the object itself: the file defines their members. */
const SELF_NAMES = new Set(['this', 'self', 'super', 'cls']);

/** Words before an opening bracket that are not the name of a function. */
const KEYWORDS = new Set([
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

/**
 * Returns the receiver of a member access, such as `this.db` at `this.db.que`; undefined if there is none, or if it is
 * one of SELF_NAMES.
 */
export function receiver(line: string): NameBefore | undefined {
  const found = RECEIVER.exec(line);
  return found && !SELF_NAMES.has(found[1] ?? '')
    ? nameAt(found[0].replace(/\s*\??\.[^.]*$/, ''), found.index)
    : undefined;
}

/** Returns the function whose arguments are being written, such as `db.open` at `db.open(path, `. */
export function calledName(line: string): NameBefore | undefined {
  let closedCount = 0;
  for (let i = line.length - 1; i >= 0; i--) {
    if (line[i] === ')') closedCount += 1;
    if (line[i] === '(' && (closedCount -= 1) < 0) {
      const found = CALLED.exec(line.slice(0, i));
      return found && !KEYWORDS.has(found[1] ?? '') ? nameAt(found[0], found.index) : undefined;
    }
  }
  return undefined;
}

/** Describes the expression `text`, which begins at offset `index` of the line. */
function nameAt(text: string, index: number): NameBefore {
  const start = /[\p{L}\p{N}_$]*$/u.exec(text)?.index ?? 0;
  return { text, at: index + start };
}
