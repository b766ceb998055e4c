// Turns definitions in other files that a document uses into snippets: one for each file, with the outlines of its
// definitions. They keep the client's order. Clients send the definitions of imported names first, since these stay the
// same from key to key, and prompts begin with them.
import { outline } from './outline';

/** A definition in another file: the text from its first line on. */
export interface Definition {
  readonly uri: string;
  readonly fileName: string;
  readonly text: string;
}

/** Code of other documents that prompts for an open document can quote. */
export interface RelatedCode {
  readonly definitions: readonly Definition[];
  /** URIs of the notebook cells above the document, from the top; each cell is an open document. */
  readonly above: readonly string[];
}

/** Shortens a definition to its outline. Call it once, as texts can be long and prompts are built at each key. */
export function outlined({ uri, fileName, text }: Definition): Definition {
  return { uri, fileName, text: outline(text) };
}

/**
 * Joins outlined definitions to one snippet per file. Leaves out repeated ones, and those that do not fit into
 * `budget` characters.
 */
export function definitionSnippets(
  definitions: readonly Definition[],
  budget: number,
  isQuotable: (definition: Definition) => boolean,
): Definition[] {
  const files = new Map<string, { readonly fileName: string; readonly texts: readonly string[] }>();
  let room = budget;
  for (const definition of definitions) {
    const { uri, fileName, text } = definition;
    const file = fileOf(uri);
    const { texts } = files.get(file) ?? {};
    const size = text.length + 1 + (texts ? 0 : fileName.length + 1);
    if (text.trim() === '' || size > room || texts?.includes(text) || !isQuotable(definition)) continue;
    room -= size;
    files.set(file, { fileName, texts: [...(texts ?? []), text] });
  }
  return [...files].map(([uri, { fileName, texts }]) => ({ uri, fileName, text: texts.join('\n') }));
}

/** Returns a document's URI; for a notebook cell, without its fragment, so that all cells of the notebook share it. */
export function fileOf(uri: string): string {
  return uri.startsWith('vscode-notebook-cell:') ? uri.replace(/#.*/s, '') : uri;
}
