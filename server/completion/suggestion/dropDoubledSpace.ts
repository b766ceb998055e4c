// Step: drops white space at the beginning that repeats the white space before the cursor.
import { lastLine, leadingSpace, outdented, type CompletionContext } from '../prompt/context';

export function dropDoubledSpace(text: string, context: CompletionContext): string {
  const isAfterBlank = /\S[ \t]$/.test(context.lineBefore);
  return isAfterBlank ? text.replace(/^[ \t]+/, '') : withoutDoubledIndentation(text, context);
}

/** Removes indentation that is already before the cursor: some models write the whole line again. */
function withoutDoubledIndentation(text: string, { above, lineBefore, unit }: CompletionContext): string {
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
  const lines = areAllDoubled ? rest.map((line) => outdented(line, lead.length)) : rest;
  return [first.slice(lead.length), ...lines].join('\n');
}
