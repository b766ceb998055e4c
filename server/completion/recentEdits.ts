// The places where the person has typed of late, in all documents; the newest of one place replaces the older ones.
import type { DocumentSnapshot } from './context';

export interface RecentEdit {
  readonly uri: string;
  readonly fileName: string;
  readonly offset: number;
  /** Whole lines around the edit, as they were after it. */
  readonly text: string;
}

const KEPT = 8;
/** Characters on each side of an edit that belong to its place. */
const AROUND = 400;

export class RecentEdits {
  #edits: readonly RecentEdit[] = [];

  /** Newest first. */
  get list(): readonly RecentEdit[] {
    return this.#edits;
  }

  /** Tells of a change in `document`, after which the cursor is at `offset`. */
  record({ uri, fileName, text }: Omit<DocumentSnapshot, 'version' | 'languageId'>, offset: number): void {
    const edit = { uri, fileName, offset, text: linesAround(text, offset) };
    const elsewhere = this.#edits.filter(
      (other) => other.uri !== uri || Math.abs(other.offset - offset) > AROUND,
    );
    this.#edits = [edit, ...elsewhere].slice(0, KEPT);
  }

  /** Forgets a document that is closed or deleted. */
  forget(uri: string): void {
    this.#edits = this.#edits.filter((edit) => edit.uri !== uri);
  }
}

function linesAround(text: string, offset: number): string {
  const from = Math.max(0, offset - AROUND);
  const around = text.slice(from, offset + AROUND).replaceAll('\r\n', '\n');
  const start = from === 0 ? 0 : around.indexOf('\n') + 1;
  const end = offset + AROUND >= text.length ? around.length : around.lastIndexOf('\n');
  return around.slice(start, Math.max(start, end));
}
