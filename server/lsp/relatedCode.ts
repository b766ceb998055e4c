// Code around a document that its client reports for prompts: definitions in other files, and cells of a notebook. Drops
// text that must not enter prompts.
import type { RelatedCode } from '../completion/prompt/definitions';
import { whyIneligible } from '../completion/prompt/eligibility';
import { MAX_DEFINITION_LENGTH, type DefinitionsParams } from '../protocol/messages';
import { isMiddleOfKey } from '../rules/secretTexts';
import { snapshot } from './openDocuments';

/** Maximum number of definitions; further ones are dropped, as a prompt has no room for more. */
const MAX_DEFINITIONS = 32;
/** Maximum number of earlier notebook cells; the nearest ones are kept. */
const MAX_CELLS = 64;

/** Returns code that prompts can quote. Drops text that must not enter prompts, even if the client sends it. */
export function relatedCode({ definitions, above = [] }: DefinitionsParams): RelatedCode {
  // The files are perhaps not open, so their languages are unknown.
  const files = definitions
    .slice(0, MAX_DEFINITIONS)
    .map(({ uri, text }) => snapshot(uri, '', text.slice(0, MAX_DEFINITION_LENGTH)));
  // The text is a part of a file, so it can be the middle of a secret key.
  const quotable = files.filter((file) => whyIneligible(file) === undefined && !isMiddleOfKey(file.text));
  return { definitions: quotable, above: above.slice(-MAX_CELLS) };
}
