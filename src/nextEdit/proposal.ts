// A proposal: the edit of one answer, at its position in the current document. Typing the proposed text keeps it, even
// with a few slips, and so does deleting what it replaces or taking typed text back; every other change of the document
// ends it. A kept proposal replaces everything typed at its place, so that accepting it always gives the text that was
// proposed.
import * as vscode from 'vscode';
import type { InlineEdit } from '../../server/protocol/nextEditMessages';
import { textDifference } from '../../server/rules/textDifference';
import { isTypedAlong } from './typedAlong';

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
    /** Text at the place of the edit before the user typed there. */
    private readonly original: string,
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
    const { start: from, removed, inserted } = textDifference(document.getText(range), fresh);
    const edit = { offset: document.offsetAt(range.start) + from, old: removed, text: inserted };
    return removed === inserted ? undefined : new Proposal(command.arguments[0], edit, removed);
  }

  /** Whether the document contains all of the proposed text. */
  get isDone(): boolean {
    return this.edit.old === this.edit.text;
  }

  /** Returns the proposal after a change of the document; undefined if the user did not type along. */
  after([change, ...rest]: Changes): Proposal | undefined {
    if (change === undefined) return this;
    const { offset, old, text } = this.edit;
    const at = change.rangeOffset - offset;
    const end = at + change.rangeLength;
    if (rest.length > 0 || at < 0 || end > old.length) return undefined;
    const now = old.slice(0, at) + change.text + old.slice(end);
    const isKept = distance(now, text) < distance(old, text) || this.#isTypedAlong(now);
    return isKept ? new Proposal(this.id, { offset, old: now, text }, this.original) : undefined;
  }

  /** Returns the same proposal with an equivalent edit at another place. */
  movedTo(edit: OffsetEdit): Proposal {
    return edit === this.edit ? this : new Proposal(this.id, edit, edit.old);
  }

  /**
   * Returns whether the original text is unchanged, or differs only by a typed beginning of the proposed text at its
   * start.
   */
  #isTypedAlong(now: string): boolean {
    if (now === this.original) return true;
    const { start, inserted } = textDifference(this.original, now);
    return start === 0 && isTypedAlong(inserted, this.edit.text);
  }
}

/** Counts the characters of both texts that are in neither their common start nor their common end. */
function distance(a: string, b: string): number {
  const { removed, inserted } = textDifference(a, b);
  return removed.length + inserted.length;
}
