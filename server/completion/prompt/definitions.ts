// Definitions in other files that a document needs, as prompts quote them: outlines, one text for each file, in the
// order in which the client sent them. Imports come first, so the start of the prompt stays the same at every key.
import { outline } from './outline';

/** A definition in another file: the text from its first line on. */
export interface Definition {
  readonly uri: string;
  readonly fileName: string;
  readonly text: string;
}

/** Texts of other files and cells that prompts for an open document can quote. */
export interface Needed {
  readonly definitions: readonly Definition[];
  /** URIs of the open documents above it, in their order, such as the earlier cells of a notebook. */
  readonly above: readonly string[];
}

/** Shortens a definition to its outline; once, because texts can be long and prompts are built at every key. */
export function outlined({ uri, fileName, text }: Definition): Definition {
  return { uri, fileName, text: outline(text) };
}

/** Returns one text for each file of outlined definitions, without those that do not fit into `budget` characters. */
export function definitionSnippets(
  definitions: readonly Definition[],
  budget: number,
  isQuotable: (definition: Definition) => boolean,
): Pick<Definition, 'fileName' | 'text'>[] {
  const files = new Map<string, string[]>();
  let room = budget;
  for (const definition of definitions) {
    const { fileName, text } = definition;
    const texts = files.get(fileName);
    const size = text.length + 1 + (texts ? 0 : fileName.length + 1);
    if (text.trim() === '' || size > room || texts?.includes(text) || !isQuotable(definition)) continue;
    room -= size;
    files.set(fileName, [...(texts ?? []), text]);
  }
  return [...files].map(([fileName, texts]) => ({ fileName, text: texts.join('\n') }));
}
