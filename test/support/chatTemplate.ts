// Loads the chat template of a folder, for tests that need a usable one.
import { UserError } from '../../server/rules/userError';
import { loadChatTemplate, type ChatTemplate } from '../../server/models/text/chatTemplate';
import { loadTokenizer } from '../../server/models/text/loadTokenizer';
import type { LoadedTokenizer } from '../../server/models/text/tokenizer';

const NO_TOKENS = { mark: (text: string) => text };

/**
 * Returns the render function of a folder's template; undefined if it has none. Throws the error of an unusable one.
 * Without a tokenizer, the template has no special tokens.
 */
export function usableTemplate(
  folder: string,
  tokenizer: Pick<LoadedTokenizer, 'mark'> = loadTokenizer(folder) ?? NO_TOKENS,
): ChatTemplate['render'] | undefined {
  const template = loadChatTemplate(folder, tokenizer);
  if (template instanceof UserError) throw template;
  return template && ((...conversation) => template.render(...conversation));
}
