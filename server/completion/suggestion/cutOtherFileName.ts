// Step: cuts before the name of another file at the top of a document, where models repeat the form of their prompts.
import { basename } from 'node:path';
import type { CompletionContext } from '../prompt/context';
import { isComment } from '../syntax/language';

/** A comment that contains only the name of a file. */
const FILE_NAME = /^\W*(?:(?:file|path|filename)\s*:\s*)?(?:[\w.@-]+[\\/])*([\w.@-]+\.\w{1,8})\W*$/i;

/** Cuts before the first comment that names another file. */
export function cutOtherFileName(text: string, context: CompletionContext): string {
  const { prefix, lineBefore, languageId, fileName } = context;
  if (prefix.trim() !== lineBefore.trim()) return text;
  const lines = text.split('\n');
  const nameLine = lines.findIndex((suggestedLine, i) => {
    const line = i === 0 ? lineBefore + suggestedLine : suggestedLine;
    const name = isComment(line, languageId) ? FILE_NAME.exec(line)?.[1] : undefined;
    return name !== undefined && name !== basename(fileName);
  });
  return nameLine < 0 ? text : lines.slice(0, nameLine).join('\n').trimEnd();
}
