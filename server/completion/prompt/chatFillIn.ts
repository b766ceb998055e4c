// Builds the prompt for a chat model without fill-in-the-middle tokens: it asks for the code at a marker in the file.
import type { PartSize } from '../../rules/partSize';
import { codeFence } from './codeFence';
import type { FittedParts, Prompt, PromptModel } from './promptParts';
import { otherFilePart } from './quotedFiles';
import type { Snippet } from './snippets';
import { turnEndTokenIds } from './specialTokens';

/**
 * Returns a chat whose answer already begins with a code block and the text of the cursor's line, so that the model
 * continues there. Undefined if the model has no chat template or the chat is longer than the budget.
 */
export function chatFillIn(fitted: FittedParts, model: PromptModel): Prompt | undefined {
  const { context, prefix, suffix, snippets, budget } = fitted;
  const marker = unusedMarker([prefix + suffix, ...snippets.map(({ text }) => text)].join('\n'));
  const fence = codeFence(prefix + suffix);
  const line = prefix.slice(prefix.lastIndexOf('\n') + 1);
  const otherFiles = snippets.map(fencedSnippet).join('');
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
        `${otherFiles}${context.fileName}, with the marker ${marker}:\n` +
        `${fence}${context.languageId}\n${prefix}${marker}${suffix}\n${fence}`,
    },
  ] as const;
  const { tokenizer } = model;
  const conversation = model.encodeChat(messages);
  if (conversation === undefined) return undefined;
  const answerStart = `${fence}${context.languageId}\n${line}`;
  const ids = [...conversation, ...tokenizer.encodeText(answerStart)];
  if (ids.length > budget) return undefined;
  const characters = messages.reduce((sum, { content }) => sum + content.length, answerStart.length);
  const stopTokenIds = turnEndTokenIds(tokenizer);
  return { ids, parts: partSizes(fitted, characters), stopStrings: [fence, marker], stopTokenIds };
}

/** Returns a snippet in a code block of its own, which the fences of a Markdown file do not close. */
function fencedSnippet({ fileName, text }: Snippet): string {
  const fence = codeFence(text);
  return `${fileName}:\n${fence}\n${text}\n${fence}\n\n`;
}

/** Returns the sizes of the prompt's parts for statistics; `totalCharacters` counts all texts of the chat. */
function partSizes({ prefix, suffix, snippets }: FittedParts, totalCharacters: number): PartSize[] {
  const quoted = [
    ...snippets.map(otherFilePart),
    { name: 'before', characters: prefix.length } as const,
    { name: 'after', characters: suffix.length } as const,
  ];
  const characters = totalCharacters - quoted.reduce((sum, part) => sum + part.characters, 0);
  const parts = [...quoted, { name: 'instruction', characters } as const];
  return parts.map((part) => ({ ...part, tokens: null }));
}

/** Returns a marker that the text does not contain. */
function unusedMarker(text: string): string {
  let marker = '<CURSOR>';
  for (let i = 1; text.includes(marker); i++) marker = `<CURSOR_${i}>`;
  return marker;
}
