// Definitions in other files that a document needs, as prompts quote them: the outlines of each file's, in the order in
// which they were told. That begins with the imports, so that what was read of them serves every key. An outline is what
// a definition looks like from outside: its signature, and of a type its members; without bodies and comments. It goes by
// indentation and a few words, so that it needs no grammar of any language.

/** Text of another file, from the line of a definition on. */
export interface Definition {
  readonly uri: string;
  readonly fileName: string;
  readonly text: string;
}

/** What an open document needs of others. */
export interface Needed {
  readonly definitions: readonly Definition[];
  /** URIs of open documents that stand above it, as cells do in a notebook; in their order. */
  readonly above: readonly string[];
}

/** Done once when it is told: its text may be long, and prompts are built at every key. */
export function outlined({ uri, fileName, text }: Definition): Definition {
  return { uri, fileName, text: outline(text) };
}

/** Of outlined definitions: one text for each file, without what does not fit into `budget` characters. */
export function definitionSnippets(
  definitions: readonly Definition[],
  budget: number,
  isQuotable: (definition: Definition) => boolean,
): Pick<Definition, 'fileName' | 'text'>[] {
  const files = new Map<string, string[]>();
  let room = budget;
  for (const definition of definitions) {
    const { fileName, text } = definition;
    const known = files.get(fileName);
    const size = text.length + 1 + (known ? 0 : fileName.length + 1);
    if (text.trim() === '' || size > room || known?.includes(text) || !isQuotable(definition)) continue;
    room -= size;
    files.set(fileName, [...(known ?? []), text]);
  }
  return [...files].map(([fileName, texts]) => ({ fileName, text: texts.join('\n') }));
}

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
