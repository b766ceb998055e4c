// Step: cuts before a comment that names another file, at the top of a document. There, models imitate their prompts,
// in which such comments quote other files.
import { basename } from 'node:path';
import type { CompletionContext } from '../prompt/context';
import { isComment } from '../syntax/language';
import { cutBeforeLine } from './cutBeforeLine';

/** Matches a comment that contains only the name of a file. */
const FILE_NAME = /^\W*(?:(?:file|path|filename)\s*:\s*)?(?:[\w.@-]+[\\/])*([\w.@-]+\.\w{1,8})\W*$/i;

export function cutOtherFileName(text: string, context: CompletionContext): string {
  const { prefix, lineBefore, languageId, fileName } = context;
  if (prefix.trim() !== lineBefore.trim()) return text;
  return cutBeforeLine(text, context, (line) => {
    const name = isComment(line, languageId) ? FILE_NAME.exec(line)?.[1] : undefined;
    return name !== undefined && name !== basename(fileName);
  });
}
