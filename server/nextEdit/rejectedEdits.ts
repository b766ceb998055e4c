// Edits that the user has dismissed. They move with their lines, and are not suggested again.
import type { LineChange } from '../rules/lineDiff';

interface Rejected {
  readonly uri: string;
  readonly at: number;
  readonly removed: number;
  /** Removed and added lines, each without white space at its ends. */
  readonly text: string;
}

const MAX_EDITS = 20;

export class RejectedEdits {
  #edits: readonly Rejected[] = [];

  add(uri: string, change: LineChange, lines: readonly string[]): void {
    const { at, removed } = change;
    this.#edits = [...this.#edits, { uri, at, removed, text: normalised(change, lines) }].slice(-MAX_EDITS);
  }

  has(uri: string, change: LineChange, lines: readonly string[]): boolean {
    const text = normalised(change, lines);
    return this.#edits.some((edit) => edit.uri === uri && edit.at === change.at && edit.text === text);
  }

  /**
   * Moves the edits of a document by a change above them. Forgets an edit that the change touches, so that it can be
   * suggested again.
   */
  moved(uri: string, { at, removed, added }: LineChange): void {
    this.#edits = this.#edits.flatMap((edit) => {
      if (edit.uri !== uri || at >= edit.at + Math.max(1, edit.removed)) return edit;
      return at + removed <= edit.at ? { ...edit, at: edit.at + added.length - removed } : [];
    });
  }

  closed(uri: string): void {
    this.#edits = this.#edits.filter((edit) => edit.uri !== uri);
  }
}

function normalised({ at, removed, added }: LineChange, lines: readonly string[]): string {
  const text = (part: readonly string[]): string => part.map((line) => line.trim()).join('\n');
  return `${text(lines.slice(at, at + removed))}\0${text(added)}`;
}
