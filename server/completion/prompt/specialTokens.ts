// Finds the ids of special tokens by their spelling, such as those that end a chat turn.
import type { SpecialTokens } from '../../models/text/tokenizer';

/** Returns the ids of the tokens; leaves out tokens that the vocabulary lacks. */
export function specialTokenIds(contents: readonly string[], vocabulary: SpecialTokens): number[] {
  return contents.flatMap((content) => vocabulary.specialTokenId(content) ?? []);
}

/** Tokens that end a chat turn in ChatML, Gemma and Llama 3, and end-of-text tokens that some models use instead. */
const TURN_ENDS = [
  '<|im_end|>',
  '<end_of_turn>',
  '<turn|>',
  '<|tool_response>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|endoftext|>',
  '</s>',
  '<eos>',
];

/** Returns the ids of tokens that end a chat turn. A model's files do not always list them as end tokens. */
export function turnEndTokenIds(vocabulary: SpecialTokens): number[] {
  return specialTokenIds(TURN_ENDS, vocabulary);
}
