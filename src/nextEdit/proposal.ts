// A proposal: the edit of one answer, at its position in the current document. Typing a part of the proposed text
// keeps it; every other change of the document ends it.
import * as vscode from 'vscode';
import type { InlineEdit } from '../../server/protocol/nextEditMessages';
import { trimmed } from '../../server/rules/trimmed';

/** Replaces `old`, the text of the document at `offset`, by `text`. */
export interface OffsetEdit {
  readonly offset: number;
  readonly old: string;
  readonly text: string;
}

type Changes = vscode.TextDocumentChangeEvent['contentChanges'];

export class Proposal {
  private constructor(
    readonly id: string,
    readonly edit: OffsetEdit,
  ) {}

  /** Creates a proposal; undefined if the edit has no effect, is for another version, or does not fit the document. */
  static from(
    { text, range: { start, end }, textDocument, command }: InlineEdit,
    document: vscode.TextDocument,
  ): Proposal | undefined {
    const range = new vscode.Range(start.line, start.character, end.line, end.character);
    const isHere = textDocument.uri === String(document.uri) && textDocument.version === document.version;
    if (!isHere || !document.validateRange(range).isEqual(range)) return undefined;
    const lineEnd = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
    const fresh = text.replace(/\r\n|\r|\n/g, lineEnd);
    const { start: from, removed, inserted } = trimmed(document.getText(range), fresh);
    const edit = { offset: document.offsetAt(range.start) + from, old: removed, text: inserted };
    return removed === inserted ? undefined : new Proposal(command.arguments[0], edit);
  }

  /** Whether the document contains all of the proposed text. */
  get isDone(): boolean {
    return this.edit.old === this.edit.text;
  }

  /** Returns the proposal after a change of the document; undefined if the change was not a step towards it. */
  after([change, ...rest]: Changes): Proposal | undefined {
    if (change === undefined) return this;
    const { offset, old, text } = this.edit;
    const at = change.rangeOffset - offset;
    const end = at + change.rangeLength;
    if (rest.length > 0 || at < 0 || end > old.length) return undefined;
    const now = old.slice(0, at) + change.text + old.slice(end);
    return distance(now, text) < distance(old, text) ? this.with({ offset, old: now, text }) : undefined;
  }

  /** Returns the same proposal with another edit. */
  with(edit: OffsetEdit): Proposal {
    return new Proposal(this.id, edit);
  }
}

/** Counts the characters of both texts that are in neither their common start nor their common end. */
function distance(a: string, b: string): number {
  const { removed, inserted } = trimmed(a, b);
  return removed.length + inserted.length;
}
