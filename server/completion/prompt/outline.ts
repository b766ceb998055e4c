// Outlines a definition: keeps its signature and, for a type, its members, without bodies and comments. Indentation and
// a few keywords suffice, so no grammar of a language is needed.

/** Maximum lines of an outline. */
const MAX_LINES = 30;
/** Maximum lines of a value that is not a function. */
const MAX_VALUE_LINES = 12;
/** Maximum lines of a signature. */
const MAX_HEAD_LINES = 8;

const TYPE = /\b(class|interface|struct|trait|impl|enum|protocol|record|object|module|namespace)\b/;
const FUNCTION = /\b(function|def|func|fn|fun|sub)\b|=>\s*\{?\s*$|\)\s*(:[^=]*|->.*)?[{:]\s*$/;
const COMMENT = /^\s*(\/\/|\/\*|\*|#(?!\[)|--|"""|''')/;
/** Matches the opening brace of a body on its own line, as is usual in C#. */
const LONE_BRACE = /^\s*\{\s*$/;
const CLOSING = /^\s*[)\]}]+[,;]?\s*$/;
/** Matches an assignment to a field, which declares the field in languages such as Python. */
const SET_FIELD = /^\s*((?:self|this)\.[\p{L}_$][\p{L}\p{N}_$]*(?:\s*:[^=]*[^\s=])?)\s*=[^=]/u;

/** Returns the outline of the definition that `source` begins with; the rest of the file can follow it. */
export function outline(source: string): string {
  const lines = source.split(/\r?\n/);
  const count = headLength(lines);
  const head = lines.slice(0, count);
  const headEnd = head.at(-1) ?? '';
  if (TYPE.test(headEnd)) {
    // A head with parameters is more likely a function, such as Equals(object other).
    const hasLoneBrace = LONE_BRACE.test(lines[count] ?? '') && !/[()]/.test(headEnd);
    const start = hasLoneBrace ? count + 1 : count;
    return [...head, ...members(bodyOf(lines, start))].slice(0, MAX_LINES).join('\n');
  }
  const body = bodyOf(lines, count);
  const signature = head.join('\n');
  if (FUNCTION.test(signature)) return signature.replace(/\s*\{\s*$/, '');
  const end = lines[count + body.length] ?? '';
  const value = [...head, ...body, ...(CLOSING.test(end) ? [end] : [])];
  return value.slice(0, MAX_VALUE_LINES).join('\n').trimEnd();
}

/** Counts the lines of the signature: decorators, and the lines up to the closing bracket of the parameters. */
function headLength(lines: readonly string[]): number {
  let open = 0;
  let isDecorator = false;
  for (const [i, line] of lines.slice(0, MAX_HEAD_LINES).entries()) {
    if (open <= 0) isDecorator = /^\s*@/.test(line);
    for (const character of line) {
      if (character === '(' || character === '[') open += 1;
      if (character === ')' || character === ']') open -= 1;
    }
    if (open <= 0 && !isDecorator) return i + 1;
  }
  return 1;
}

/** Returns the lines from index `from` on that are indented deeper than the first line. */
function bodyOf(lines: readonly string[], from: number): string[] {
  const base = indentationOf(lines[0] ?? '');
  const end = lines.findIndex((line, i) => i >= from && line.trim() !== '' && indentationOf(line) <= base);
  return lines.slice(from, end < 0 ? undefined : end);
}

/** Returns the lines of a type's body that declare members, and fields that its methods set. */
function members(body: readonly string[]): string[] {
  const code = body.filter((line) => line.trim() !== '' && !COMMENT.test(line) && !LONE_BRACE.test(line));
  const depth = Math.min(...code.map(indentationOf));
  const fields = new Set<string>();
  return code.flatMap((line) => {
    if (indentationOf(line) === depth) return CLOSING.test(line) ? [] : [line.replace(/\s*\{\s*$/, '')];
    const [, field] = SET_FIELD.exec(line) ?? [];
    if (field === undefined || fields.has(field)) return [];
    fields.add(field);
    return [`${' '.repeat(depth)}${field}`];
  });
}

function indentationOf(line: string): number {
  return /^\s*/.exec(line)?.[0].length ?? 0;
}
