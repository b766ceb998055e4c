// Line ends. Models were trained on texts with \n, so prompts have only \n, and suggestions are converted to the line
// ends of the document.

export type LineEnd = '\n' | '\r\n';

/** Returns the first line end; \n for a text of one line. */
export function lineEndOf(text: string): LineEnd {
  return /\r?\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n';
}

/** Replaces each \r\n by \n. */
export function withLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
