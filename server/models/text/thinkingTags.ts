// The tags between which models write their thinking, before the answer.

export interface ThinkingTags {
  readonly begin: string;
  readonly end: string;
}

/** Gemma 4 writes the name of the channel after its begin token. */
const CHANNEL: ThinkingTags = { begin: '<|channel>thought', end: '<channel|>' };
/** Matches any thinking tag. */
export const THINKING_TAG = /<\/?[\w:]*think(?:ing)?>|\[\/?THINK\]|<\|channel>|<channel\|>/g;
const END_TAG = /<\/([\w:]*think(?:ing)?)>/g;

/** Finds the tags in the source of a chat template, which cuts them out of earlier turns or writes them. */
export function thinkingTags(source: string): ThinkingTags[] {
  const names = new Set(Array.from(source.matchAll(END_TAG), ([, name = '']) => name));
  const tags = [...names].map((name) => ({ begin: `<${name}>`, end: `</${name}>` }));
  if (source.includes('[/THINK]')) tags.push({ begin: '[THINK]', end: '[/THINK]' });
  return source.includes(CHANNEL.end) ? [...tags, CHANNEL] : tags;
}

/** Returns the tags whose begin tag ends the prompt, so that the answer begins with thinking. */
export function openedTags(tags: readonly ThinkingTags[], prompt: string): ThinkingTags | undefined {
  const end = prompt.trimEnd();
  return tags.find(({ begin }) => end.endsWith(begin));
}
