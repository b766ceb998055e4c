// The added tokens of a tokenizer.json, read without its vocabulary: a hundredth of the work of loading it.
import { attempt } from '../../rules/userError';
import { isListed, readListBytes } from '../checkpoint/modelText';
import { ControlTokens, type AddedToken } from './controlTokens';
import { JsonBytes } from './jsonBytes';

/** Bytes to read for most lists of added tokens, and for one of 6,500 tokens. */
const [FEW_BYTES, MANY_BYTES] = [1e5, 4e6];

type ListedToken = AddedToken & { readonly id: number };

/** Reads the added tokens of a tokenizer.json; undefined if there is no such file. Throws UserError. */
export function addedTokens(file: string) {
  if (!isListed(file)) return undefined;
  return attempt(`added tokens in ${file}`, 'download it again', () => {
    const tokens = readAddedTokens(file);
    const ids = new Map(tokens.map(({ content, id }) => [content, id]));
    const control = new ControlTokens(tokens);
    return {
      specialTokenId: (content: string) => ids.get(content),
      mark: (written: string, mark: string) => control.mark(written, mark),
    };
  });
}

/** Reads the list, which precedes the vocabulary in all known files. Reads more bytes if it is cut off. */
function readAddedTokens(
  file: string,
  [most = Infinity, ...more]: readonly number[] = [FEW_BYTES, MANY_BYTES],
): ListedToken[] {
  try {
    const bytes = readListBytes(file, most);
    for (const [name, { from, to }] of new JsonBytes(bytes).entries())
      if (name === 'added_tokens') return JSON.parse(bytes.toString('utf8', from, to)) as ListedToken[];
    return [];
  } catch (error) {
    if (most === Infinity) throw error;
    return readAddedTokens(file, more);
  }
}
