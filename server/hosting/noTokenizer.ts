// Tokenizer of a model that comes without one; it has no tokens.
import type { Tokenizer } from '../completion/decoder';

export const NO_TOKENIZER: Tokenizer = {
  textStart: { ids: [], space: '' },
  encodeText: () => [],
  decode: () => '',
  specialTokenId: () => undefined,
};
