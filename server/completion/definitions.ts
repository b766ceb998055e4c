// Definitions that a document imports from other files, as prompts quote them: the outlines of each file's, in the
// order of the imports. They change with the imports only, so that what was read of them serves every key.
import { outline } from './outline';

/** Text of another file, from the line of a definition on. */
export interface Definition {
  readonly fileName: string;
  readonly text: string;
}

/** Outlines, one text for each file, without what does not fit into `budget` characters. */
export function definitionSnippets(definitions: readonly Definition[], budget: number): Definition[] {
  const files = new Map<string, string[]>();
  let room = budget;
  for (const { fileName, text } of definitions) {
    const outlined = outline(text);
    const known = files.get(fileName);
    const size = outlined.length + 1 + (known ? 0 : fileName.length + 1);
    if (outlined.trim() === '' || size > room || known?.includes(outlined)) continue;
    room -= size;
    files.set(fileName, [...(known ?? []), outlined]);
  }
  return [...files].map(([fileName, texts]) => ({ fileName, text: texts.join('\n') }));
}
