// What the gate may know of a document: sizes and single lines, never the whole text.
// `vscode` is named as a type only, so that tests can describe documents of their own.
import type { TextDocument } from 'vscode';

export interface DocumentFacts {
  readonly scheme: string;
  /** Separated by slashes, on every system. */
  readonly path: string;
  readonly languageId: string;
  /** In UTF-16 units. */
  readonly size: number;
  readonly lineCount: number;
  lineAt(line: number): string;
}

export function documentFacts(document: TextDocument): DocumentFacts {
  const { lineCount } = document;
  return {
    scheme: document.uri.scheme,
    path: document.uri.path,
    languageId: document.languageId,
    // From the sums of line lengths that the extension host keeps anyway: no copy of the text.
    size: document.offsetAt(document.lineAt(lineCount - 1).range.end),
    lineCount,
    lineAt: (line) => document.lineAt(line).text,
  };
}
