// The form in which a model is asked to infill: by its vocabulary, its name and whether it follows instructions. Nothing
// is tried out.
import type { Decoder, Infill } from '../decoder';
import { fimForm } from './fimForm';

/** What is known of a model once it is loaded. */
export interface InfillFacts extends Pick<Decoder, 'tokenizer' | 'encodeChat'> {
  /** Of its repository or folder. */
  readonly name: string;
  /** It only continues text. */
  readonly isBase: boolean;
}

export function infillOf({ name, isBase, tokenizer, encodeChat }: InfillFacts): Infill {
  const { untrained, preferred = 'psm', otherFiles } = fimForm(tokenizer) ?? { untrained: () => true };
  if (!untrained?.(name, isBase))
    return { infill: 'fim', layout: preferred, ...(otherFiles && { otherFiles }) };
  const chat = isBase ? undefined : encodeChat([{ role: 'user', content: 'Hello' }]);
  return { infill: chat === undefined ? 'prefix' : 'chat', layout: 'psm' };
}
