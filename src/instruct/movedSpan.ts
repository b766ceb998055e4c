// Stretches of a document, and where its changes leave them.
import type * as vscode from 'vscode';

/** Offsets in a document. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Of one event: positions in the text before it, not overlapping. */
export type Changes = vscode.TextDocumentChangeEvent['contentChanges'];

/**
 * A stretch of a document that follows its changes: moved by those before it, stretched by those inside; an insertion at
 * either end stays outside.
 */
export function movedSpan(span: TextSpan, changes: Changes): TextSpan {
  let { start, end } = span;
  for (const { rangeOffset: from, rangeLength, text } of changes) {
    const to = from + rangeLength;
    const growth = text.length - rangeLength;
    if (from >= span.end) continue;
    end += to > span.end ? from + text.length - span.end : growth;
    if (to <= span.start) start += growth;
    // A change across the start now begins the span.
    else if (from < span.start) start += from - span.start;
  }
  return { start, end: Math.max(start, end) };
}
