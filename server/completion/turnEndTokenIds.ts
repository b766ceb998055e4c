// Tokens that end a turn of a conversation. Files of a model do not always name them among its end tokens.
import type { SpecialTokens } from './fimFormat';

/** ChatML, Gemma, Llama 3, and the ends of text that some models use for turns too. */
const TURN_ENDS = [
  '<|im_end|>',
  '<end_of_turn>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|endoftext|>',
  '</s>',
  '<eos>',
];

/** Their ids, where a vocabulary has them. */
export function turnEndTokenIds(vocabulary: SpecialTokens): number[] {
  return TURN_ENDS.map((content) => vocabulary.specialTokenId(content)).filter((id) => id !== undefined);
}
