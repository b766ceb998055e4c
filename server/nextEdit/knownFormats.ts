// The known formats of next-edit models. A model's name selects one, and its special tokens must confirm it.
import type { Tokenizer } from '../models/text/tokenizer';
import type { EditFormat } from './editFormat';
import { sweepOne, sweepTwo } from './sweep';
import { zeta21 } from './zeta';

/** Formats in the order in which they are tried: `sweepOne` suits the names of `sweepTwo` too. */
const FORMATS: readonly EditFormat[] = [sweepTwo, sweepOne, zeta21];

/**
 * Returns the format of a model; undefined for models that were not trained for next edits. If `takesText`, a server
 * tokenizes the prompt, so its special tokens are unknown and the name alone decides.
 */
export function knownFormat(
  model: string,
  tokenizer: Pick<Tokenizer, 'specialTokenId'> | undefined,
  takesText = false,
): EditFormat | undefined {
  const format = FORMATS.find(({ suits }) => suits(model));
  if (takesText) return format;
  const hasTokens = format?.required.every((token) => tokenizer?.specialTokenId(token) !== undefined);
  return hasTokens ? format : undefined;
}
