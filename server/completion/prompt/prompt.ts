// The prompt for a model: the text around a cursor as token ids, in the format that the model understands. Built from
// segments; the user's text is never scanned for special tokens here.
import { basename } from 'node:path/posix';
import type { PromptPart } from '../../rules/promptPart';
import { codeFence } from '../instruct/chatCode';
import type { CompletionContext } from './context';
import type { Decoder, Tokenizer } from '../decoder';
import { fimEndTokenIds, fimForm } from './fimForm';
import { fimSegments, type FimContext, type Segment } from './fimPrompt';
import { commentLines } from '../syntax/language';
import type { Snippet, SnippetBudget } from './snippets';
import { specialTokenIds, turnEndTokenIds } from './specialTokens';

export interface Prompt {
  readonly ids: readonly number[];
  /** In their order, those of the form joined at the end. */
  readonly parts: readonly PromptPart[];
  readonly stopStrings: readonly string[];
  /** In addition to the model's own end tokens. */
  readonly stopTokenIds: readonly number[];
}

export interface PromptParts {
  readonly context: CompletionContext;
  /** Text before the cursor: the context's own, or what healing kept of it. */
  readonly prefix: string;
  readonly snippets: readonly Snippet[];
  /** Tokens for the prompt. */
  readonly budget: number;
}

/** The properties of a model that its prompt depends on. */
export type Asked = Pick<Decoder, 'infill' | 'tokenizer' | 'encodeChat'>;

/** Code has more than three characters per token, so text cut by characters need not be cut by tokens again. */
const CHARACTERS_PER_TOKEN = 3;
const PREFIX_SHARE = 0.75;
/** The share of the budget for snippets of other files; definitions may have more while the file itself is short. */
const SNIPPET_SHARE = 0.3;
/** Not more: what is read before the first suggestion in a file delays it. */
const MOST_DEFINITIONS_SHARE = 0.5;
/** Free room is counted in shares of the budget, so that prompts do not change with each key. */
const FREE_STEP = 0.25;
/** For a file with the text of `context`, and a prompt of `budget` tokens. */
export function snippetBudget(budget: number, context: OwnText): SnippetBudget {
  const characters = (share: number): number => Math.floor(budget * share * CHARACTERS_PER_TOKEN);
  return { all: characters(quotedShare(budget, context)), similar: characters(SNIPPET_SHARE) };
}

type OwnText = Pick<CompletionContext, 'prefix' | 'suffix'>;

/** Of the budget, for all that is quoted. */
export function quotedShare(budget: number, { prefix, suffix }: OwnText): number {
  const own = (prefix.length + suffix.length) / (budget * CHARACTERS_PER_TOKEN);
  const free = 1 - Math.ceil(own / FREE_STEP) * FREE_STEP;
  return Math.max(SNIPPET_SHARE, Math.min(MOST_DEFINITIONS_SHARE, free));
}

/** Undefined if there is nothing before the cursor for a model to continue. */
export function completionPrompt(parts: PromptParts, asked: Asked): Prompt | undefined {
  const near = { ...parts, ...nearCursor(parts) };
  const { infill, tokenizer } = asked;
  const segments = infill === 'fim' ? fim(near, tokenizer) : undefined;
  if (segments !== undefined) return joined(segments, tokenizer);
  return (infill === 'prefix' ? undefined : chat(near, asked)) ?? plain(near, tokenizer);
}

function joined(segments: readonly Segment[], tokenizer: Tokenizer): Prompt {
  const ids = segments.flatMap((segment) => segment.ids);
  const texts = segments.filter((segment) => segment.name !== 'format' && segment.ids.length > 0);
  const parts = texts.map(({ ids: own, ...part }) => ({ ...part, tokens: own.length }));
  const tokens = ids.length - parts.reduce((sum, part) => sum + part.tokens, 0);
  const format: readonly PromptPart[] = tokens > 0 ? [{ name: 'format', characters: 0, tokens }] : [];
  return { ids, parts: [...parts, ...format], stopStrings: [], stopTokenIds: fimEndTokenIds(tokenizer) };
}

type NearParts = PromptParts & { readonly suffix: string };

/** Cuts in steps that stay the same for many keystrokes, so that a model can reuse what it has read. */
function nearCursor({ context, prefix, budget }: PromptParts): { prefix: string; suffix: string } {
  const all = budget * CHARACTERS_PER_TOKEN;
  const reach = Math.floor(all * PREFIX_SHARE);
  const step = Math.max(1, Math.floor(reach / 4));
  const inSteps = (length: number): number => Math.ceil(length / step) * step;
  // The text that healing removes comes back with the next key; the cuts must not move with it.
  const typed = context.prefix;
  const beyond = inSteps(Math.max(0, typed.length - reach));
  const lineStart = typed.indexOf('\n', beyond) + 1;
  // A line that is too long to be cut at its start is cut anywhere.
  const inLine = lineStart === 0 || lineStart - beyond > step;
  return {
    prefix: prefix.slice(beyond === 0 || inLine ? beyond : lineStart),
    suffix: context.suffix.slice(0, Math.max(all - reach, all - inSteps(typed.length))),
  };
}

function fim({ context, prefix, suffix, snippets, budget }: NearParts, tokenizer: Tokenizer) {
  const { fileName, languageId } = context;
  const others = quotedFiles(snippets, languageId, budget * quotedShare(budget, context), tokenizer);
  return fimSegments({ fileName, prefix, suffix, ...others }, tokenizer, budget);
}

/**
 * Other files in at most `most` tokens, in the form that the model understands best; the last ones, which are the most
 * helpful, are the last to be left out.
 */
export function quotedFiles(
  snippets: readonly Snippet[],
  languageId: string,
  most: number,
  tokenizer: Tokenizer,
): Pick<FimContext, 'quoted' | 'otherFiles'> {
  const begin = fileSeparator(tokenizer);
  const segments: Segment[] = [];
  let room = most;
  for (const snippet of snippets.toReversed()) {
    const ids = [...begin, ...tokenizer.encodeText(quotedText(snippet, languageId, tokenizer))];
    // A budget in characters is a guess; the completed file must keep its share.
    if (ids.length > room) continue;
    segments.unshift({ ...otherFile(snippet), ids });
    room -= ids.length;
  }
  return begin.length === 0 ? { quoted: segments } : { otherFiles: segments };
}

/** Without a token between files in comments of the completed file's language, which every model understands. */
export function quotedText({ fileName, text }: Snippet, languageId: string, tokenizer: Tokenizer): string {
  const whole = `${fileName}\n${text}`;
  return `${fileSeparator(tokenizer).length === 0 ? commentLines(whole, '', languageId) : whole}\n`;
}

/** The token that begins another file; none where the format has no place for others. */
function fileSeparator(tokenizer: Tokenizer): readonly number[] {
  const { otherFile } = fimForm(tokenizer) ?? {};
  return otherFile === undefined ? [] : specialTokenIds([otherFile], tokenizer);
}

function otherFile({ fileName, text }: Snippet): Omit<Segment, 'ids'> {
  return { name: 'otherFile', file: basename(fileName), characters: text.length };
}

/** The answer starts with the cursor's line in a code block, so that the model continues right there. */
function chat(near: NearParts, asked: Asked): Prompt | undefined {
  const { context, prefix, suffix, snippets, budget } = near;
  const marker = unusedMarker(prefix + suffix);
  const fence = codeFence(prefix + suffix);
  const line = prefix.slice(prefix.lastIndexOf('\n') + 1);
  const others = snippets
    .map(({ fileName, text }) => `${fileName}:\n${fence}\n${text}\n${fence}\n\n`)
    .join('');
  const messages = [
    {
      role: 'system',
      content:
        'You complete code. Answer with the code that belongs at the marker, in one code block that begins with ' +
        'the line of the marker. Explain nothing.',
    },
    {
      role: 'user',
      content:
        `${others}${context.fileName}, with the marker ${marker}:\n` +
        `${fence}${context.languageId}\n${prefix}${marker}${suffix}\n${fence}`,
    },
  ] as const;
  const { tokenizer } = asked;
  const conversation = asked.encodeChat(messages);
  if (conversation === undefined) return undefined;
  const begun = `${fence}${context.languageId}\n${line}`;
  const ids = [...conversation, ...tokenizer.encodeText(begun)];
  if (ids.length > budget) return undefined;
  const characters = messages.reduce((sum, { content }) => sum + content.length, begun.length);
  const stopTokenIds = turnEndTokenIds(tokenizer);
  return { ids, parts: chatParts(near, characters), stopStrings: [fence, marker], stopTokenIds };
}

function chatParts({ prefix, suffix, snippets }: NearParts, all: number): PromptPart[] {
  const quoted = [
    ...snippets.map(otherFile),
    { name: 'before', characters: prefix.length } as const,
    { name: 'after', characters: suffix.length } as const,
  ];
  const characters = all - quoted.reduce((sum, part) => sum + part.characters, 0);
  const parts = [...quoted, { name: 'instruction', characters } as const];
  return parts.map((part) => ({ ...part, tokens: null }));
}

function plain({ prefix, budget }: NearParts, tokenizer: Tokenizer): Prompt | undefined {
  const { ids: start, space } = tokenizer.textStart;
  const all = prefix === '' ? [] : tokenizer.encodeText(space + prefix);
  const ids = all.slice(start.length - budget);
  if (ids.length === 0) return undefined;
  const { length: characters } = ids.length === all.length ? prefix : tokenizer.decode(ids);
  const format: Segment = { name: 'format', characters: 0, ids: start };
  return joined([format, { name: 'before', characters, ids }], tokenizer);
}

function unusedMarker(text: string): string {
  let marker = '<CURSOR>';
  for (let i = 1; text.includes(marker); i++) marker = `<CURSOR_${i}>`;
  return marker;
}
