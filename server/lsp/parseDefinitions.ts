// What a client tells about the files that a document imports. Files that may not enter prompts are left out here,
// whatever the client thinks of them.
import * as z from 'zod/mini';
import type { Definition } from '../completion/definitions';
import { InputError } from '../inputError';
import { closedFile } from './openDocuments';

/** A file imports more, but a prompt has no room for it. */
const MOST_DEFINITIONS = 32;
/** An outline needs no more characters. */
const LONGEST_DEFINITION = 20_000;

const PARAMS = z.object({
  uri: z.string(),
  definitions: z.array(z.object({ uri: z.string(), text: z.string() })),
});

/** Throws InputError for anything but DefinitionsParams. */
export function parseDefinitions(given: unknown): { uri: string; definitions: Definition[] } {
  const { data } = PARAMS.safeParse(given);
  if (data === undefined)
    throw new InputError({
      expected: 'the URI of a document, and URIs and texts of what it imports',
      got: 'something else',
      remedy: 'send DefinitionsParams',
    });
  const files = data.definitions
    .slice(0, MOST_DEFINITIONS)
    .map(({ uri, text }) => closedFile(uri, text.slice(0, LONGEST_DEFINITION)));
  return { uri: data.uri, definitions: files.filter(({ ineligible }) => ineligible === undefined) };
}
