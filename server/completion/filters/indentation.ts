// Writes indentation as the document does: tabs or spaces, and no second indentation where the cursor is already
// indented.
import { leadingSpace, type CompletionContext } from '../context';

export function indentation(text: string, context: CompletionContext): string {
  return sameUnit(withoutDoubled(text, context), context);
}

/** A model that begins the line anew repeats the indentation before the cursor. */
function withoutDoubled(text: string, { prefix, lineBefore, unit }: CompletionContext): string {
  const lead = leadingSpace(text);
  const whole = text.trim() !== '' && text[lead.length] !== '\n';
  if (lead === '' || lineBefore === '' || lineBefore.trim() !== '' || !whole) return text;
  const previous = /^.*\S.*$/m.exec(prefix.split('\n').slice(0, -1).reverse().join('\n'))?.[0] ?? '';
  const deeper = /(?:[{([:]|=>)\s*$/.test(previous);
  const expected = leadingSpace(previous).length + (deeper ? unit.length : 0);
  if (lineBefore.length < expected) return text;
  const [first = '', ...rest] = text.split('\n');
  const doubled = lineBefore.length + lead.length;
  const shift = rest.every((line) => line.trim() === '' || leadingSpace(line).length >= doubled);
  const lines = shift
    ? rest.map((line) => line.slice(Math.min(lead.length, leadingSpace(line).length)))
    : rest;
  return [first.slice(lead.length), ...lines].join('\n');
}

function sameUnit(text: string, { unit }: CompletionContext): string {
  const [first = '', ...rest] = text.split('\n');
  const spaces = rest.map(leadingSpace).filter((space) => /^ +$/.test(space));
  // The model's own step is the smallest; a single space is the star of a comment.
  const step = Math.min(8, ...spaces.map(({ length }) => length).filter((length) => length > 1));
  const convert = (line: string): string => {
    const lead = leadingSpace(line);
    const body = line.slice(lead.length);
    if (unit !== '\t') return lead.replaceAll('\t', unit) + body;
    const columns = lead.replaceAll('\t', ' '.repeat(step)).length;
    return '\t'.repeat(Math.floor(columns / step)) + ' '.repeat(columns % step) + body;
  };
  return [first, ...rest.map(convert)].join('\n');
}
