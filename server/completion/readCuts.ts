// Reads an output as far as anybody needs it. Knows neither what it is for nor where it comes from.
import type { StopRule } from './stop';

export interface Cuts {
  readonly output: string;
  /** What stays of the output by each of the rules. */
  readonly cuts: readonly string[];
}

/** `isLimited` tells of an output whether the token limit may have ended it. */
export async function readCuts(
  pieces: AsyncIterable<string>,
  rules: readonly StopRule[],
  isLimited: (output: string) => boolean,
): Promise<Cuts> {
  let output = '';
  for await (const piece of pieces) {
    output += piece;
    if (rules.map((rule) => rule.push(piece)).every((cut) => cut !== undefined)) break;
  }
  const complete = isLimited(output) ? wholeLines(output) : output.length;
  const cuts = rules.map((rule) => output.slice(0, rule.push('') ?? Math.min(rule.finish(), complete)));
  return { output, cuts };
}

/** A block that the token limit has cut ends with its last whole line. */
function wholeLines(text: string): number {
  const end = text.lastIndexOf('\n');
  return end >= 0 && text.slice(0, end).trim() !== '' ? end : text.length;
}
