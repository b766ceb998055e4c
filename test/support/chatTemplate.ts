// The chat template of a folder, for tests whose template can be read.
import { UserError } from '../../server/rules/userError';
import { loadChatTemplate, type ChatTemplate } from '../../server/models/text/chatTemplate';
import { loadTokenizer } from '../../server/models/text/loadTokenizer';
import type { LoadedTokenizer } from '../../server/models/text/tokenizer';

const NO_TOKENS = { mark: (text: string) => text };

/**
 * Loads the template of a folder. Throws the error of an unusable one. Without a tokenizer it has no special tokens.
 */
export function usableTemplate(
  folder: string,
  tokenizer: Pick<LoadedTokenizer, 'mark'> = loadTokenizer(folder) ?? NO_TOKENS,
): ChatTemplate | undefined {
  const template = loadChatTemplate(folder, tokenizer);
  if (template instanceof UserError) throw template;
  return template;
}
