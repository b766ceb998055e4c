// Step: cuts before a control or invisible character that the document does not have. Such characters can hide or
// reorder text, and VS Code marks them in documents but not in ghost text.
import { newUnseenAt } from '../../rules/visibleText';
import type { CompletionContext } from '../prompt/context';

export function cutInvisible(text: string, { beginning, prefix, suffix }: CompletionContext): string {
  return text.slice(0, newUnseenAt(text, [suffix, prefix, beginning]));
}
