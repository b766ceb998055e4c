// The tokenizer of a model that comes without one: knows no tokens.
import type { Tokenizer } from '../completion/decoder';

export const NO_TOKENIZER: Tokenizer = {
  textStart: { ids: [], space: '' },
  encodeText: () => [],
  decode: () => '',
  specialTokenId: () => undefined,
};
