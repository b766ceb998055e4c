// Step: cuts before a line with a control or invisible character that the text around the cursor does not have. Such
// characters can hide or reorder text, and VS Code marks them in documents but not in ghost text. A cut within the line
// could leave the beginning of a literal, which later steps would close.
import { newUnseenAt } from '../../rules/visibleText';
import type { CompletionContext } from '../prompt/context';

export function cutInvisible(text: string, context: CompletionContext): string {
  const { beginning, prefix, suffix, lineBefore } = context;
  const lines = lineBefore + text;
  const unseenAt = newUnseenAt(lines, [suffix, prefix, beginning]);
  if (unseenAt === undefined) return text;
  const lineAt = Math.max(0, lines.lastIndexOf('\n', unseenAt));
  return lines.slice(lineBefore.length, lineAt);
}
