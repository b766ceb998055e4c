// Replaces the tokenizer of a model that has none: encodes and decodes nothing.
import type { Tokenizer } from '../completion/decoder';

export const NO_TOKENIZER: Tokenizer = {
  textStart: { ids: [], space: '' },
  encodeText: () => [],
  encodeParts: () => [],
  decode: () => '',
  specialTokenId: () => undefined,
};
