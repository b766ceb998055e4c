// The added tokens of a tokenizer.json, read without the vocabulary, which takes a hundred times as long to load.
import { attempt } from '../../rules/userError';
import { isListed, readLargeJson } from '../checkpoint/modelText';
import { ControlTokens, type AddedToken } from './controlTokens';
import { JsonBytes } from './jsonBytes';
import type { SpecialTokenMarker, SpecialTokens } from './tokenizer';

/**
 * Bytes to read in the first attempt, enough for most lists of added tokens, and in the second one, enough for 6,500
 * added tokens. The third attempt reads the whole file.
 */
const READ_BYTES = [1e5, 4e6];

type ListedToken = AddedToken & { readonly id: number };

/** Reads the added tokens of a tokenizer.json; undefined if there is no such file. Throws UserError. */
export function addedTokens(file: string): (SpecialTokens & SpecialTokenMarker) | undefined {
  if (!isListed(file)) return undefined;
  return attempt(`added tokens in ${file}`, 'download it again', () => {
    const tokens = readAddedTokens(file);
    const ids = new Map(tokens.map(({ content, id }) => [content, id]));
    const control = new ControlTokens(tokens);
    return {
      specialTokenId: (content: string) => ids.get(content),
      mark: (text: string, mark: string) => control.mark(text, mark),
    };
  });
}

/** Reads the list, which precedes the vocabulary in all known files. Reads again with more bytes if it is cut off. */
function readAddedTokens(
  file: string,
  [maxBytes = Infinity, ...more]: readonly number[] = READ_BYTES,
): ListedToken[] {
  try {
    const bytes = readLargeJson(file, maxBytes);
    for (const [name, { from, to }] of new JsonBytes(bytes).entries())
      if (name === 'added_tokens') return JSON.parse(bytes.toString('utf8', from, to)) as ListedToken[];
    return [];
  } catch (error) {
    if (maxBytes === Infinity) throw error;
    return readAddedTokens(file, more);
  }
}
