// tokenizer_config.json and special_tokens_map.json: which special tokens begin and end texts. tokenizer.json lists
// special tokens without these roles.
import { join } from 'node:path';
import { fieldsOf } from '../../rules/json';
import { ConfigFields } from '../checkpoint/configFields';
import type { SpecialTokens } from './tokenizer';

/** Returns the ids of the end tokens that the files of the tokenizer name. */
export function endTokenIds(directory: string, specialTokens: SpecialTokens): number[] {
  const map = ConfigFields.readOptional(join(directory, 'special_tokens_map.json'));
  const spellings = [readTokenizerConfig(directory), map].map((fields) => tokenText(fields.raw('eos_token')));
  return spellings.flatMap((spelling) => specialTokens.specialTokenId(spelling) ?? []);
}

/** Reads tokenizer_config.json; without that file there are no fields. Throws UserError. */
export function readTokenizerConfig(directory: string): ConfigFields {
  return ConfigFields.readOptional(join(directory, 'tokenizer_config.json'));
}

/**
 * Returns the spelling of a special token, which files write as text or as an object with it; empty if it is neither.
 */
export function tokenText(value: unknown): string {
  const content = typeof value === 'string' ? value : fieldsOf(value)['content'];
  return typeof content === 'string' ? content : '';
}
