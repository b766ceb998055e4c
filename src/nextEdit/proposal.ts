// A proposal: the edits of one answer, at their positions in the current document. Typing a part of the proposed text
// keeps it; every other change of the document ends it.
import * as vscode from 'vscode';
import type { InlineEdit } from '../../server/protocol/nextEditMessages';
import { commonEnd, commonStart } from '../../server/rules/commonEnds';

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
    /** Edits in the order of the text, without overlaps. */
    readonly edits: readonly OffsetEdit[],
  ) {}

  /**
   * Creates a proposal; undefined for an answer without edits, for another text, or with edits that do not fit the
   * document.
   */
  static from(edits: readonly InlineEdit[], document: vscode.TextDocument): Proposal | undefined {
    const [first] = edits;
    if (first === undefined) return undefined;
    const lineEnd = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
    const placed: OffsetEdit[] = [];
    let end = 0;
    for (const { text, range, textDocument } of edits) {
      const place = new vscode.Range(
        new vscode.Position(range.start.line, range.start.character),
        new vscode.Position(range.end.line, range.end.character),
      );
      const isHere = textDocument.uri === String(document.uri) && textDocument.version === document.version;
      const offset = document.offsetAt(place.start);
      if (!isHere || !document.validateRange(place).isEqual(place) || offset < end) return undefined;
      end = document.offsetAt(place.end);
      const fresh = text.replace(/\r\n|\r|\n/g, lineEnd);
      placed.push(trimmed({ offset, old: document.getText(place), text: fresh }));
    }
    const effective = placed.filter(({ old, text }) => old !== text);
    return effective.length === 0 ? undefined : new Proposal(first.command.arguments[0], effective);
  }

  /** Whether the document contains all of the proposed text. */
  get isDone(): boolean {
    return this.edits.every(({ old, text }) => old === text);
  }

  /** Returns the proposal after a change of the document; undefined if the change was not a step towards it. */
  after(changes: Changes): Proposal | undefined {
    const [change] = changes;
    if (change === undefined) return this;
    const { rangeOffset: from, rangeLength, text } = change;
    const index = this.edits.findIndex(
      ({ offset, old }) => from >= offset && from + rangeLength <= offset + old.length,
    );
    const edit = this.edits[index];
    if (changes.length > 1 || edit === undefined) return undefined;
    const at = from - edit.offset;
    const old = edit.old.slice(0, at) + text + edit.old.slice(at + rangeLength);
    if (distance(old, edit.text) >= distance(edit.old, edit.text)) return undefined;
    const grown = old.length - edit.old.length;
    const edits = this.edits.map((each, i) => {
      if (i < index) return each;
      return i === index ? { ...edit, old } : { ...each, offset: each.offset + grown };
    });
    return new Proposal(this.id, edits);
  }

  /** Returns the same proposal with another edit that has the same effect. */
  with(edit: OffsetEdit): Proposal {
    return new Proposal(this.id, [edit]);
  }
}

/** Removes the common start and end of both texts. */
function trimmed({ offset, old, text }: OffsetEdit): OffsetEdit {
  const { start, end } = common(old, text);
  return {
    offset: offset + start,
    old: old.slice(start, old.length - end),
    text: text.slice(start, text.length - end),
  };
}

/** Counts the characters of both texts that are in neither their common start nor their common end. */
function distance(a: string, b: string): number {
  const { start, end } = common(a, b);
  return a.length + b.length - 2 * (start + end);
}

/** Returns the lengths of the common start and the common end of two texts, which never overlap. */
export function common(a: string, b: string): { readonly start: number; readonly end: number } {
  const start = commonStart(a, b);
  return { start, end: commonEnd(a, b, start) };
}
