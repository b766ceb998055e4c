// Token ids as arrays, checked: the native gather does not check them, and an id outside the table reads memory out of
// bounds. Lists of token ids become inputs of a model only here.
import { WrongValue } from '../../rules/userError';
import * as mx from './ops';

/**
 * Throws UserError for an empty list and for anything that is not a token id below `vocabSize`. `field` is the name of
 * the list in the message, if it is not a prompt.
 */
export function requireTokenIds(ids: readonly number[], vocabSize: number, field?: string): void {
  if (ids.length === 0) {
    throw new WrongValue({
      expected: 'at least one token',
      got: 'none',
      remedy: 'give a prompt that is not empty',
    });
  }
  const position = ids.findIndex((id) => !Number.isInteger(id) || id < 0 || id >= vocabSize);
  if (position < 0) return;
  const range = `token ids from 0 to ${String(vocabSize - 1)}`;
  throw new WrongValue({
    expected: field === undefined ? range : `${range} in ${field}`,
    got: `${String(ids[position])} at position ${String(position)}`,
    remedy: 'use the tokenizer of this model',
  });
}

/** Returns token ids as int32 [n], n >= 1. Throws as `requireTokenIds` does. */
export function tokenArray(ids: readonly number[], vocabSize: number): mx.MxArray {
  requireTokenIds(ids, vocabSize);
  return mx.array(ids, mx.int32);
}
