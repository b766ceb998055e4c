// Other files in a prompt: their share of it, and the form in which they are quoted.
import { basename } from 'node:path/posix';
import type { Tokenizer } from '../decoder';
import { commentLines } from '../syntax/language';
import type { CompletionContext } from './context';
import { fimForm } from './fimForm';
import type { FimContext, Segment } from './fimPrompt';
import type { Snippet, SnippetBudget } from './snippets';
import { specialTokenIds } from './specialTokens';

/** Characters per token, fewer than code has, so text cut to a number of characters also fits in tokens. */
export const CHARACTERS_PER_TOKEN = 3;
/** Share of the budget for snippets of other files; definitions get more while the file itself is short. */
const SNIPPET_SHARE = 0.3;
/** Upper bound of that share: reading definitions delays the first suggestion in a file. */
const MAX_QUOTED_SHARE = 0.5;
/** Step in which free room is counted, as a share of the budget, so that prompts do not change with each key. */
const FREE_STEP = 0.25;

/** The text around a cursor, as a context or a hole has it. */
type OwnText = Pick<CompletionContext, 'prefix' | 'suffix'>;

/** Returns how many characters of snippets fit into a prompt of `budget` tokens. */
export function snippetBudget(budget: number, context: OwnText): SnippetBudget {
  const characters = (share: number): number => Math.floor(budget * share * CHARACTERS_PER_TOKEN);
  return { all: characters(quotedShare(budget, context)), similar: characters(SNIPPET_SHARE) };
}

/** Returns the share of the budget for text of other files. */
export function quotedShare(budget: number, { prefix, suffix }: OwnText): number {
  const documentShare = (prefix.length + suffix.length) / (budget * CHARACTERS_PER_TOKEN);
  const free = 1 - Math.ceil(documentShare / FREE_STEP) * FREE_STEP;
  return Math.max(SNIPPET_SHARE, Math.min(MAX_QUOTED_SHARE, free));
}

/**
 * Encodes other files in at most `maxTokens`, in the form that the model understands best. If there is no room for all,
 * keeps the last ones, which are the most helpful.
 */
export function quotedFiles(
  snippets: readonly Snippet[],
  languageId: string,
  maxTokens: number,
  tokenizer: Tokenizer,
): Pick<FimContext, 'quoted' | 'otherFiles'> {
  const begin = fileSeparator(tokenizer);
  const segments: Segment[] = [];
  let room = maxTokens;
  for (const snippet of snippets.toReversed()) {
    const ids = [...begin, ...tokenizer.encodeText(quotedText(snippet, languageId, tokenizer))];
    // A budget in characters is an estimate; the completed file must keep its share.
    if (ids.length > room) continue;
    segments.unshift({ ...otherFilePart(snippet), ids });
    room -= ids.length;
  }
  return begin.length === 0 ? { quoted: segments } : { otherFiles: segments };
}

/**
 * Returns the text of another file to encode: as comments, which every model understands, unless the form has a token
 * between files.
 */
export function quotedText({ fileName, text }: Snippet, languageId: string, tokenizer: Tokenizer): string {
  const quote = `${fileName}\n${text}`;
  return `${fileSeparator(tokenizer).length === 0 ? commentLines(quote, '', languageId) : quote}\n`;
}

/** Returns the token that begins another file; none if the format has no place for other files. */
function fileSeparator(tokenizer: Tokenizer): readonly number[] {
  const { otherFile } = fimForm(tokenizer) ?? {};
  return otherFile === undefined ? [] : specialTokenIds([otherFile], tokenizer);
}

/** Describes a snippet in the statistics of a prompt. */
export function otherFilePart({ fileName, text }: Snippet): Omit<Segment, 'ids'> {
  return { name: 'otherFile', file: basename(fileName), characters: text.length };
}
