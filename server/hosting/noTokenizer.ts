// Stands in for the tokenizer of a model that has none: it has no tokens.
import type { Tokenizer } from '../completion/decoder';

export const NO_TOKENIZER: Tokenizer = {
  textStart: { ids: [], space: '' },
  encodeText: () => [],
  decode: () => '',
  specialTokenId: () => undefined,
};
