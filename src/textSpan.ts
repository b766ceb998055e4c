// A stretch of a document that follows its changes: moved by those before it, stretched by those inside.
// An insertion at either end stays outside.
import type { TextChange } from './acceptance';

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** `changes` as VS Code reports one event: in positions of the text before, and not overlapping. */
export function movedSpan(span: TextSpan, changes: readonly TextChange[]): TextSpan {
  let { start, end } = span;
  for (const { rangeOffset: from, rangeLength, text } of changes) {
    const to = from + rangeLength;
    const growth = text.length - rangeLength;
    if (from >= span.end) continue;
    if (to <= span.start) {
      start += growth;
      end += growth;
      continue;
    }
    // What reached over the start now begins it.
    if (from < span.start) start += from - span.start;
    end = to > span.end ? end + (from + text.length - span.end) : end + growth;
  }
  return { start, end: Math.max(start, end) };
}
