// Step: converts indentation to the document's tabs or spaces, and drops white space that repeats the white space
// before the cursor.
import { lastLine, leadingSpace, type CompletionContext } from '../prompt/context';

export function convertIndentation(text: string, context: CompletionContext): string {
  const isAfterBlank = /\S[ \t]$/.test(context.lineBefore);
  const indented = isAfterBlank ? text.replace(/^[ \t]+/, '') : withoutDoubled(text, context);
  return withDocumentUnit(indented, context);
}

/** Removes indentation that is already before the cursor: some models write the whole line again. */
function withoutDoubled(text: string, { above, lineBefore, unit }: CompletionContext): string {
  const lead = leadingSpace(text);
  const hasCode = text.trim() !== '' && text[lead.length] !== '\n';
  if (lead === '' || lineBefore === '' || lineBefore.trim() !== '' || !hasCode) return text;
  const previous = lastLine(above);
  const isDeeper = /(?:[{([:]|=>)\s*$/.test(previous);
  const expected = leadingSpace(previous).length + (isDeeper ? unit.length : 0);
  if (lineBefore.length < expected) return text;
  const [first = '', ...rest] = text.split('\n');
  const doubled = lineBefore.length + lead.length;
  const areAllDoubled = rest.every((line) => line.trim() === '' || leadingSpace(line).length >= doubled);
  const lines = areAllDoubled
    ? rest.map((line) => line.slice(Math.min(lead.length, leadingSpace(line).length)))
    : rest;
  return [first.slice(lead.length), ...lines].join('\n');
}

/**
 * Replaces each level of the model's indentation by one of the document's. Spaces become other spaces only if the
 * document shows no indentation, so that the unit is the editor's.
 */
function withDocumentUnit(text: string, { unit, isUnitOfEditor, lineBefore }: CompletionContext): string {
  const lines = text.split('\n');
  // The first line has indentation of its own only if the cursor is at the start of its line.
  const from = lineBefore === '' ? 0 : 1;
  const head = lines.slice(0, from);
  const rest = lines.slice(from);
  const spaces = rest.map(leadingSpace).filter((space) => /^ +$/.test(space));
  // The shallowest indented line shows the model's step; a single space aligns the star of a block comment.
  const step = Math.min(8, ...spaces.map(({ length }) => length).filter((length) => length > 1));
  const convert = (line: string): string => {
    const lead = leadingSpace(line);
    const body = line.slice(lead.length);
    if (unit !== '\t' && isUnitOfEditor && /^ +$/.test(lead))
      return unit.repeat(Math.floor(lead.length / step)) + ' '.repeat(lead.length % step) + body;
    if (unit !== '\t') return lead.replaceAll('\t', unit) + body;
    const columns = lead.replaceAll('\t', ' '.repeat(step)).length;
    return '\t'.repeat(Math.floor(columns / step)) + ' '.repeat(columns % step) + body;
  };
  return [...head, ...rest.map(convert)].join('\n');
}
