// Outline of a definition: what it looks like from outside, which is its signature and, of a type, its members, without
// bodies and comments. Goes by indentation and a few words, so it needs no grammar of any language.

/** A definition takes no more room than this. */
const MOST_LINES = 30;
/** Of a value that is no function. */
const MOST_VALUE_LINES = 12;
const MOST_HEAD_LINES = 8;

const TYPE = /\b(class|interface|struct|trait|impl|enum|protocol|record|object|module|namespace)\b/;
const FUNCTION = /\b(function|def|func|fn|fun|sub)\b|=>\s*\{?\s*$|\)\s*(:[^=]*|->.*)?[{:]\s*$/;
const COMMENT = /^\s*(\/\/|\/\*|\*|#(?!\[)|--|"""|''')/;
const CLOSING = /^\s*[)\]}]+[,;]?\s*$/;
/** Fields of classes that name them first where they set them. */
const SET_FIELD = /^\s*((?:self|this)\.[\p{L}_$][\p{L}\p{N}_$]*(?:\s*:[^=]*[^\s=])?)\s*=[^=]/u;

/** `source` begins with the line of the definition; what follows it in the file may follow here. */
export function outline(source: string): string {
  const lines = source.split(/\r?\n/);
  const count = headLength(lines);
  const head = lines.slice(0, count);
  const body = bodyOf(lines, count);
  const first = head.join('\n');
  if (TYPE.test(head.at(-1) ?? '')) return [...head, ...members(body)].slice(0, MOST_LINES).join('\n');
  if (FUNCTION.test(first)) return first.replace(/\s*\{\s*$/, '');
  const end = lines[count + body.length] ?? '';
  const value = [...head, ...body, ...(CLOSING.test(end) ? [end] : [])];
  return value.slice(0, MOST_VALUE_LINES).join('\n').trimEnd();
}

/** Lines until the brackets of parameters are closed, and what stands above a definition. */
function headLength(lines: readonly string[]): number {
  let open = 0;
  for (const [i, line] of lines.slice(0, MOST_HEAD_LINES).entries()) {
    for (const character of line) {
      if (character === '(' || character === '[') open += 1;
      if (character === ')' || character === ']') open -= 1;
    }
    if (open <= 0 && !/^\s*@/.test(line)) return i + 1;
  }
  return 1;
}

/** The lines behind the head that are indented further. */
function bodyOf(lines: readonly string[], from: number): string[] {
  const base = indentationOf(lines[0] ?? '');
  const end = lines.findIndex((line, i) => i >= from && line.trim() !== '' && indentationOf(line) <= base);
  return lines.slice(from, end < 0 ? undefined : end);
}

function members(body: readonly string[]): string[] {
  const solid = body.filter((line) => line.trim() !== '' && !COMMENT.test(line));
  const depth = Math.min(...solid.map(indentationOf));
  const known = new Set<string>();
  return solid.flatMap((line) => {
    if (indentationOf(line) === depth) return CLOSING.test(line) ? [] : [line.replace(/\s*\{\s*$/, '')];
    const [, field] = SET_FIELD.exec(line) ?? [];
    if (field === undefined || known.has(field)) return [];
    known.add(field);
    return [`${' '.repeat(depth)}${field}`];
  });
}

function indentationOf(line: string): number {
  return /^\s*/.exec(line)?.[0].length ?? 0;
}
