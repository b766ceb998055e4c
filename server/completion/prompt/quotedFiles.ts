// Quotes other files in a prompt: decides their share of it, and encodes them in the form that the model knows.
import { basename } from 'node:path/posix';
import type { Tokenizer } from '../decoder';
import { commentLines } from '../syntax/language';
import type { CompletionContext } from './context';
import { fimForm } from './fimForm';
import type { OtherFiles, Segment } from './fimPrompt';
import type { Snippet, SnippetBudget } from './snippets';
import { specialTokenIds } from './specialTokens';

/** Low estimate of the characters per token, so that a text cut by characters mostly fits the limit in tokens too. */
export const CHARACTERS_PER_TOKEN = 3;
/** Share of the budget for snippets of other files; definitions get more while the file itself is short. */
const SNIPPET_SHARE = 0.3;
/** Upper bound of that share: reading definitions delays the first suggestion in a file. */
const MAX_QUOTED_SHARE = 0.5;
/** Free room counts in steps of this share of the budget, so that prompts do not change with each key. */
const FREE_STEP = 0.25;

/** Returns how many characters of snippets fit into a prompt of `budget` tokens. */
export function snippetBudget(budget: number, { prefix, suffix }: CompletionContext): SnippetBudget {
  const characters = (share: number): number => Math.floor(budget * share * CHARACTERS_PER_TOKEN);
  const all = characters(quotedShare(budget, prefix.length + suffix.length));
  return { all, similar: characters(SNIPPET_SHARE) };
}

/** Returns the share of the budget (tokens) for other files. `documentCharacters` is the completed file's length. */
export function quotedShare(budget: number, documentCharacters: number): number {
  const documentShare = documentCharacters / (budget * CHARACTERS_PER_TOKEN);
  const free = 1 - Math.ceil(documentShare / FREE_STEP) * FREE_STEP;
  return Math.max(SNIPPET_SHARE, Math.min(MAX_QUOTED_SHARE, free));
}

/**
 * Encodes other files in at most `maxTokens`, in the form that the model knows. If not all fit, prefers the last ones,
 * which are the most helpful.
 */
export function quotedFiles(
  snippets: readonly Snippet[],
  languageId: string,
  maxTokens: number,
  tokenizer: Tokenizer,
): OtherFiles {
  const begin = fileSeparator(tokenizer);
  const segments: Segment[] = [];
  let room = maxTokens;
  for (const snippet of snippets.toReversed()) {
    const ids = [...begin, ...tokenizer.encodeText(quotedText(snippet, languageId, tokenizer))];
    // Snippets were chosen by characters, an estimate. The completed file must keep its share of the tokens.
    if (ids.length > room) continue;
    segments.unshift({ ...otherFilePart(snippet), ids });
    room -= ids.length;
  }
  return begin.length === 0 ? { quoted: segments } : { otherFiles: segments };
}

/**
 * Returns the text of another file to encode: as comments, which every model understands, unless the form of the model
 * has a token that begins a file.
 */
export function quotedText({ fileName, text }: Snippet, languageId: string, tokenizer: Tokenizer): string {
  const quote = `${fileName}\n${text}`;
  return `${fileSeparator(tokenizer).length === 0 ? commentLines(quote, '', languageId) : quote}\n`;
}

/** Returns the token that begins another file; none if the form has no such token. */
function fileSeparator(tokenizer: Tokenizer): readonly number[] {
  const { otherFile } = fimForm(tokenizer) ?? {};
  return otherFile === undefined ? [] : specialTokenIds([otherFile], tokenizer);
}

/** Describes a snippet in the statistics of a prompt. */
export function otherFilePart({ fileName, text }: Snippet): Omit<Segment, 'ids'> {
  return { name: 'otherFile', file: basename(fileName), characters: text.length };
}
