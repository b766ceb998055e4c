// What an edit changed in its line, in whole words and signs, and what stands beside it: enough to find other places
// where the same may be done.

export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface LineChange {
  /** What was there before and what is there now; either may be empty, but not both. */
  readonly old: string;
  readonly new: string;
  /** The tokens beside it, nearest first, with EDGE where the line ends. */
  readonly left: readonly string[];
  readonly right: readonly string[];
  /** The token that an insertion directly follows or precedes. */
  readonly anchor: 'left' | 'right';
}

/** Stands for the start and the end of a line among its tokens. */
export const EDGE = '\n';
/** Tokens looked at on each side. */
const CONTEXT_TOKENS = 4;

/** Words, and signs one by one. */
export function tokensOf(line: string): Token[] {
  return [...line.matchAll(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu)].map(({ 0: text, index: start }) => ({
    text,
    start,
    end: start + text.length,
  }));
}

/** Undefined if only white space is different. */
export function lineChange(before: string, after: string): LineChange | undefined {
  const [from, to] = [tokensOf(before), tokensOf(after)];
  const shorter = Math.min(from.length, to.length);
  let head = 0;
  while (head < shorter && from[head]?.text === to[head]?.text) head += 1;
  if (head === from.length && head === to.length) return undefined;
  let tail = 0;
  while (tail < shorter - head && from.at(-1 - tail)?.text === to.at(-1 - tail)?.text) tail += 1;
  const oldPart = between(before, from, head, tail);
  const newPart = between(after, to, head, tail);
  const lead = sharedSpace(oldPart, newPart);
  const trail = sharedSpace(reversed(oldPart.slice(lead)), reversed(newPart.slice(lead)));
  return {
    old: oldPart.slice(lead, oldPart.length - trail),
    new: newPart.slice(lead, newPart.length - trail),
    left: beside(from.slice(0, head).reverse()),
    right: beside(from.slice(from.length - tail)),
    anchor: lead > 0 && trail === 0 ? 'right' : 'left',
  };
}

/** The nearest texts of `tokens`, which come nearest first. */
export function beside(tokens: readonly Token[]): string[] {
  return [...tokens.slice(0, CONTEXT_TOKENS).map(({ text }) => text), EDGE].slice(0, CONTEXT_TOKENS);
}

/** How many of the first entries are the same. */
export function agreement(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((each, i) => each !== b[i]);
  return differs < 0 ? a.length : differs;
}

/** The text behind the first `head` tokens and before the last `tail` ones, without the indentation. */
function between(line: string, tokens: readonly Token[], head: number, tail: number): string {
  const start = head > 0 ? tokens[head - 1]?.end : line.length - line.trimStart().length;
  return line.slice(start, tail > 0 ? tokens.at(-tail)?.start : line.trimEnd().length);
}

function sharedSpace(a: string, b: string): number {
  let shared = 0;
  while (a[shared] === b[shared] && /^\s$/.test(a[shared] ?? '')) shared += 1;
  return shared;
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}
