// Puts the suggest widget's item in front of a suggestion, as both replace the same range. Drops what VS Code would
// not show: an item that does not begin with what the person has typed.
import type { CompletionContext } from '../context';

export function selectedItem(text: string, { selected }: CompletionContext): string {
  if (selected === undefined || text === '') return text;
  return continues(selected) ? selected.text + text : '';
}

function continues({ replaced, text }: NonNullable<CompletionContext['selected']>): boolean {
  return text.toLowerCase().startsWith(replaced.toLowerCase());
}
