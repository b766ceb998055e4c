// A fake editor with one file, in which a test types, moves and undoes. It records what is drawn.
import { TextDocument } from 'vscode-languageserver-textdocument';
import { documents, EndOfLine, Position, Range, Selection, Uri, window } from '../support/fakeVscode';

interface Drawn {
  readonly range?: Range;
  readonly renderOptions?: { readonly after?: { readonly contentText?: string } };
}

interface LineAndCharacter {
  readonly line: number;
  readonly character: number;
}

export class FakeEditor {
  readonly options = { tabSize: 2 };
  selection = new Selection(new Position(0, 0), new Position(0, 0));
  /** Selections of further cursors. */
  more: readonly Selection[] = [];
  /** Number of undo steps that edits have made. */
  steps = 0;
  /** Lines that are visible; further ranges follow folded lines. */
  visibleRanges: readonly Range[] = [new Range(0, 0, 1000, 0)];
  readonly document;
  readonly #drawn = new Map<object, readonly (Drawn | Range)[]>();
  readonly #selectionListeners = new Set<(event: object) => void>();
  #onScroll: (event: object) => void = () => undefined;
  #onShow: (editor: object | undefined) => void = () => undefined;
  #text;

  constructor(text: string, path = '/project/sum.ts') {
    this.#text = TextDocument.create(`file://${path}`, 'typescript', 1, text);
    this.document = this.#documentOf(path);
    window.activeTextEditor = this;
    window.onDidChangeTextEditorSelection = (listener) => {
      const onSelection = listener as (event: object) => void;
      this.#selectionListeners.add(onSelection);
      return { dispose: () => void this.#selectionListeners.delete(onSelection) };
    };
    window.onDidChangeTextEditorVisibleRanges = (listener) => {
      this.#onScroll = listener as (event: object) => void;
      return { dispose: () => (this.#onScroll = () => undefined) };
    };
    window.onDidChangeActiveTextEditor = (listener) => {
      this.#onShow = listener as (editor: object | undefined) => void;
      return { dispose: () => (this.#onShow = () => undefined) };
    };
  }

  get text(): string {
    return this.#text.getText();
  }

  get selections(): readonly Selection[] {
    return [this.selection, ...this.more];
  }

  /** Drawn texts that are not in the document, with no-break spaces as plain ones. */
  get added(): string[] {
    const all = [...this.#drawn.values()].flat();
    const texts = all.map((drawn) =>
      'renderOptions' in drawn ? drawn.renderOptions?.after?.contentText : undefined,
    );
    return texts.filter((text) => text !== undefined).map((text) => text.replaceAll('\u00a0', ' '));
  }

  /** Ranges in the document that are struck. */
  get struck(): Range[] {
    return [...this.#drawn.values()].flat().filter((drawn) => drawn instanceof Range);
  }

  /** Whether anything is drawn. */
  get isDrawn(): boolean {
    return [...this.#drawn.values()].some(({ length }) => length > 0);
  }

  setDecorations(type: object, drawn: readonly (Drawn | Range)[]): void {
    this.#drawn.set(type, drawn);
  }

  readonly revealRange = ({ start, end }: Range): void => {
    this.see([start.line, end.line]);
  };

  /** Scrolls or folds so that only these lines are visible, each given by the first and the last one. */
  see(...visible: readonly (readonly [first: number, last: number])[]): void {
    this.visibleRanges = visible.map(([first, last]) => new Range(first, 0, last, 0));
    this.#onScroll({ textEditor: this, visibleRanges: this.visibleRanges });
  }

  edit(make: (builder: object) => void): Promise<boolean> {
    const edits: { range: Range; text: string }[] = [];
    make({ replace: (range: Range, text: string) => void edits.push({ range, text }) });
    this.steps += 1;
    this.change(edits);
    return Promise.resolve(true);
  }

  /** Applies changes together; their ranges are those before the change. */
  change(edits: readonly { readonly range: Range; readonly text: string }[]): void {
    const contentChanges = edits
      .map(({ range, text }) => {
        const rangeOffset = this.#text.offsetAt(range.start);
        return { range, text, rangeOffset, rangeLength: this.#text.offsetAt(range.end) - rangeOffset };
      })
      .sort((a, b) => b.rangeOffset - a.rangeOffset);
    TextDocument.update(this.#text, contentChanges, this.#text.version + 1);
    documents.changed.fire({ document: this.document, contentChanges });
  }

  /** Types text in place of `removed` characters before the cursor. */
  type(text: string, removed = 0): void {
    const { active } = this.selection;
    const start = new Position(active.line, active.character - removed);
    const offset = this.#text.offsetAt(start);
    this.change([{ range: new Range(start, active), text }]);
    this.#select(this.#text.positionAt(offset + text.length));
  }

  /** Moves the cursor to `after` characters after the start of `text`. */
  moveTo(text: string, after = 0): void {
    this.#select(this.#text.positionAt(this.text.indexOf(text) + after));
  }

  /** Selects from the start of one text to that of another. */
  select(from: string, to: string): void {
    const [anchor, active] = [from, to].map((text) => this.#text.positionAt(this.text.indexOf(text)));
    if (anchor && active) this.#select(active, anchor);
  }

  /** Leaves the editor for another one; without one, no editor is active. */
  leave(other?: FakeEditor): void {
    window.activeTextEditor = other;
    this.#onShow(other);
  }

  /** Text with | at the cursor. */
  get withCursor(): string {
    const offset = this.#text.offsetAt(this.selection.active);
    return `${this.text.slice(0, offset)}|${this.text.slice(offset)}`;
  }

  #select(active: LineAndCharacter, anchor = active): void {
    this.selection = new Selection(
      new Position(anchor.line, anchor.character),
      new Position(active.line, active.character),
    );
    for (const listener of this.#selectionListeners)
      listener({ textEditor: this, selections: this.selections });
  }

  #documentOf(path: string) {
    const edited = (): TextDocument => this.#text;
    return {
      uri: Uri.file(path),
      languageId: 'typescript',
      isDirty: true,
      get eol() {
        return edited().getText().includes('\r\n') ? EndOfLine.CRLF : EndOfLine.LF;
      },
      get version() {
        return edited().version;
      },
      get lineCount() {
        return edited().lineCount;
      },
      getText: (range?: Range) => edited().getText(range),
      offsetAt: (position: Position) => edited().offsetAt(position),
      positionAt: (offset: number) => positionOf(edited().positionAt(offset)),
      validateRange: ({ start, end }: Range) => {
        const [from, to] = [start, end].map((at) => edited().positionAt(edited().offsetAt(at)));
        return new Range(positionOf(from), positionOf(to));
      },
      lineAt: (line: number) => {
        const text = edited().getText().split(/\r?\n/)[line];
        if (text === undefined) throw new Error('Illegal value for `line`');
        const firstNonWhitespaceCharacterIndex = text.length - text.trimStart().length;
        return { text, range: new Range(line, 0, line, text.length), firstNonWhitespaceCharacterIndex };
      },
    };
  }
}

function positionOf(
  { line, character }: { line: number; character: number } = { line: 0, character: 0 },
): Position {
  return new Position(line, character);
}
