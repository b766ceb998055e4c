// What a vocabulary puts at the start of every text: the begin token that Llama, Mistral and Gemma models were trained
// with, and the space that SentencePiece vocabularies put before the first word.
import type { Tokenizer as HubTokenizer } from '@huggingface/tokenizers';
import type { ConfigFields } from './configFields';
import { tokenText } from './tokenText';

export interface TextStart {
  readonly ids: readonly number[];
  readonly space: '' | ' ';
}

/** `config` is tokenizer_config.json, whose `add_bos_token` counts more than what tokenizer.json does. */
export function textStart(tokenizer: HubTokenizer, config: ConfigFields): TextStart {
  const [first = ''] = tokenizer.tokenize('x', { add_special_tokens: false });
  return { ids: beginTokens(tokenizer, config), space: /^[▁Ġ]/.test(first) ? ' ' : '' };
}

function beginTokens(tokenizer: HubTokenizer, config: ConfigFields): readonly number[] {
  if (config.has('add_bos_token')) {
    if (!config.boolean('add_bos_token')) return [];
    const id = tokenizer.token_to_id(tokenText(config.raw('bos_token')));
    if (id !== undefined) return [id];
  }
  const plain = tokenizer.encode('x', { add_special_tokens: false }).ids;
  const { ids } = tokenizer.encode('x');
  const at = ids.findIndex((_, i) => plain.every((id, j) => ids[i + j] === id));
  return ids.slice(0, Math.max(0, at));
}
