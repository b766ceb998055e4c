// A document with a cursor in which anything may happen. Says what it would tell a server; tells nobody.
import type { TextDocumentContentChangeEvent } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Rng } from '../../bench/rng';

export interface FuzzedFile {
  readonly name: string;
  readonly languageId: string;
  readonly text: string;
}

/** What is longer is shortened, as reading it takes time. */
const LONGEST = 900;
const SHORTENED_BY = 400;

export class FuzzedDocument {
  readonly document: TextDocument;
  readonly #undo: string[] = [];
  #cursor: number;

  constructor({ name, languageId, text }: FuzzedFile) {
    this.document = TextDocument.create(`file:///project/${name}`, languageId, 1, text);
    this.#cursor = text.length >> 1;
  }

  get text(): string {
    return this.document.getText();
  }

  get cursor(): number {
    return this.#cursor;
  }

  get place() {
    const { uri } = this.document;
    return { uri, offset: this.#cursor, position: this.document.positionAt(this.#cursor) };
  }

  insert(text: string): TextDocumentContentChangeEvent {
    return this.#replace(this.#cursor, text);
  }

  delete(characters: number): TextDocumentContentChangeEvent {
    return this.#replace(Math.max(0, this.#cursor - characters), '');
  }

  /** The whole text in one change, as some clients send it; undefined when there is nothing to undo. */
  undo(): TextDocumentContentChangeEvent | undefined {
    const text = this.#undo.pop();
    if (text === undefined) return undefined;
    TextDocument.update(this.document, [{ text }], this.document.version + 1);
    this.#cursor = Math.min(this.#cursor, text.length);
    return { text };
  }

  /** To the start of a line, or anywhere. */
  move(rng: Rng): void {
    const anywhere = rng.whole(0, this.text.length);
    const { line } = this.document.positionAt(anywhere);
    this.#cursor = rng.happens(0.5) ? anywhere : this.document.offsetAt({ line, character: 0 });
  }

  /** From a place up to the cursor. */
  #replace(from: number, text: string): TextDocumentContentChangeEvent {
    const { document } = this;
    const isLong = this.text.length + text.length > LONGEST;
    const to = isLong ? Math.min(this.text.length, this.#cursor + SHORTENED_BY) : this.#cursor;
    this.#undo.push(this.text);
    const range = { start: document.positionAt(from), end: document.positionAt(to) };
    TextDocument.update(document, [{ range, text }], document.version + 1);
    this.#cursor = from + text.length;
    return { range, text };
  }
}
