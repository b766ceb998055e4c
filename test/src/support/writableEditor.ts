// A slow editor with one document, which the code under test writes to; the cursor moves with text inserted there.
import { setImmediate as turn } from 'node:timers/promises';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { documents, Position, Range, Selection, Uri } from './fakeVscode';

interface Change {
  readonly range: Range;
  readonly text: string;
}

export class WritableEditor {
  #text;
  selection = new Selection(0, 0, 0, 0);
  reveals = 0;
  /** Number of edits so far, refused ones included. */
  tries = 0;
  /** Returns whether to make an edit, by its number, from 1 on. */
  accepts: (tries: number) => boolean = () => true;
  /** Whether each edit made an undo stop before and after it. */
  readonly stops: (readonly [boolean, boolean])[] = [];
  readonly document;
  /** Changes of others, in the same event as those of an edit. */
  otherChanges: readonly Change[] = [];
  /** Line end that VS Code writes for each line break. */
  eol = '\n';

  constructor(text: string) {
    this.#text = TextDocument.create('file:///a.ts', 'typescript', 1, text);
    const positionAt = (offset: number): Position => {
      const { line, character } = this.#text.positionAt(offset);
      return new Position(line, character);
    };
    this.document = {
      uri: Uri.file('/a.ts'),
      languageId: 'typescript',
      isClosed: false,
      offsetAt: (position: Position) => this.#text.offsetAt(position),
      positionAt,
    };
  }

  get text(): string {
    return this.#text.getText();
  }

  async edit(
    make: (builder: object) => void,
    { undoStopBefore, undoStopAfter }: { undoStopBefore: boolean; undoStopAfter: boolean },
  ): Promise<boolean> {
    const changes: Change[] = [];
    const adapted = (text: string): string => text.replaceAll('\n', this.eol);
    make({
      insert: (at: Position, text: string) => changes.push({ range: new Range(at, at), text: adapted(text) }),
      replace: (range: Range, text: string) => changes.push({ range, text: adapted(text) }),
    });
    this.tries += 1;
    await turn();
    if (!this.accepts(this.tries)) return false;
    this.stops.push([undoStopBefore, undoStopAfter]);
    this.change([...changes, ...this.otherChanges]);
    return true;
  }

  change(changes: readonly Change[]): void {
    const cursor = this.#text.offsetAt(this.selection.active);
    const contentChanges = changes.map(({ range, text }) => {
      const rangeOffset = this.#text.offsetAt(range.start);
      return { range, text, rangeOffset, rangeLength: this.#text.offsetAt(range.end) - rangeOffset };
    });
    TextDocument.update(this.#text, contentChanges, this.#text.version + 1);
    const [change] = contentChanges;
    if (change && change.rangeOffset <= cursor) this.moveTo(cursor + change.text.length - change.rangeLength);
    documents.changed.fire({ document: this.document, contentChanges });
  }

  moveTo(offset: number, end = offset): void {
    const [from, to] = [this.document.positionAt(offset), this.document.positionAt(end)];
    this.selection = new Selection(from, to);
  }

  readonly revealRange = (): void => void (this.reveals += 1);
}
