// Step: converts indentation to the document's tabs or spaces.
import { leadingSpace, type CompletionContext } from '../prompt/context';

/**
 * Replaces each level of the model's indentation by one of the document's. Spaces become other spaces only if the
 * document shows no indentation, so that the unit is the editor's.
 */
export function convertIndentation(
  text: string,
  { unit, isUnitOfEditor, lineBefore }: CompletionContext,
): string {
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
