// The formats of next-edit models, as a table. The name of a model decides, its special tokens confirm.
import type { Tokenizer } from '../models/text/tokenizer';
import type { EditFormat } from './editFormat';
import { sweepOne, sweepTwo } from './sweep';
import { zeta21 } from './zeta';

/** Narrower names first. */
const FORMATS: readonly EditFormat[] = [sweepTwo, sweepOne, zeta21];

/**
 * Returns the format of a model. Undefined for models that were not trained for next edits. A server that takes text
 * alone cannot be asked for its tokens, so there the name counts.
 */
export function editFormat(
  model: string,
  tokenizer: Pick<Tokenizer, 'specialTokenId'> | undefined,
  takesText = false,
): EditFormat | undefined {
  const format = FORMATS.find(({ suits }) => suits(model));
  if (takesText) return format;
  const isKnown = format?.required.every((token) => tokenizer?.specialTokenId(token) !== undefined);
  return isKnown ? format : undefined;
}
