// The prompt for a model that follows instructions and cannot fill in: a chat about a marker in the file.
import type { PromptPart } from '../../rules/promptPart';
import { codeFence } from '../instruct/chatCode';
import type { NearParts, Prompt, PromptModel } from './promptParts';
import { otherFilePart } from './quotedFiles';
import { turnEndTokenIds } from './specialTokens';

/** Returns a chat whose answer is begun with the cursor's line in a code block, so that the model continues there. */
export function chatPrompt(near: NearParts, model: PromptModel): Prompt | undefined {
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
  const { tokenizer } = model;
  const conversation = model.encodeChat(messages);
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
    ...snippets.map(otherFilePart),
    { name: 'before', characters: prefix.length } as const,
    { name: 'after', characters: suffix.length } as const,
  ];
  const characters = all - quoted.reduce((sum, part) => sum + part.characters, 0);
  const parts = [...quoted, { name: 'instruction', characters } as const];
  return parts.map((part) => ({ ...part, tokens: null }));
}

/** Returns a marker that the text does not contain. */
function unusedMarker(text: string): string {
  let marker = '<CURSOR>';
  for (let i = 1; text.includes(marker); i++) marker = `<CURSOR_${i}>`;
  return marker;
}
