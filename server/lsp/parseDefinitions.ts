// What a client tells about the other files that a document needs. Files that may not enter prompts are left out here,
// whatever the client thinks of them.
import type { Needed } from '../completion/prompt/definitions';
import { Method } from '../protocol/messages';
import { isMiddleOfKey } from '../rules/secretTexts';
import { paramsOf } from './messageSchemas';
import { closedFile } from './openDocuments';

/** A file imports more, but a prompt has no room for it. */
const MOST_DEFINITIONS = 32;
/** Of a notebook, the nearest ones. */
const MOST_CELLS = 64;
/** An outline needs no more characters. */
const LONGEST_DEFINITION = 20_000;

/** Throws a WrongMessage for anything but DefinitionsParams. */
export function parseDefinitions(given: unknown): Needed & { uri: string } {
  const { uri: importer, definitions, above = [] } = paramsOf(Method.definitions, given);
  const files = definitions
    .slice(0, MOST_DEFINITIONS)
    .map(({ uri, text }) => closedFile(uri, text.slice(0, LONGEST_DEFINITION)));
  // A part of a file may be one of a key.
  const quotable = files.filter(({ ineligible, text }) => ineligible === undefined && !isMiddleOfKey(text));
  return { uri: importer, definitions: quotable, above: above.slice(-MOST_CELLS) };
}
