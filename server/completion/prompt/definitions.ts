// Definitions in other files that a document needs, as prompts quote them: the outlines of each file's, in the order in
// which they were told. That begins with the imports, so that what was read of them serves every key. An outline is what
// a definition looks like from outside: its signature, and of a type its members; without bodies and comments. It goes by
// indentation and a few words, so that it needs no grammar of any language.
import { outline } from './outline';

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
