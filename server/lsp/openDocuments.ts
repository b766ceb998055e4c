// Keeps the client's open documents up to date. Refuses invalid documents and changes, so that no other code has to
// handle them.
import {
  TextDocuments,
  type Position,
  type Range,
  type TextDocumentContentChangeEvent,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { DocumentSnapshot } from '../completion/prompt/context';
import { decoded, documentSnapshot } from '../completion/prompt/eligibility';
import { fileOf } from '../completion/prompt/definitions';
import { languageOf } from '../rules/fileLanguage';

/** Maximum characters of a file name; no file system has longer ones. */
const MAX_NAME_LENGTH = 255;

interface DocumentListener {
  /** Called with each version; `editedAt` is the end offset of the last change, unless that replaced the whole text. */
  readonly changed: (document: DocumentSnapshot, editedAt: number | undefined) => void;
  readonly closed: (uri: string) => void;
}

/** Creates the documents of a connection, and reports their versions to the listener. */
export function openDocuments(listener: DocumentListener): TextDocuments<TextDocument> {
  let editedAt: number | undefined;
  const documents = new TextDocuments({
    create: newDocument,
    update: (document, changes, version) => {
      for (const change of changes) {
        const clamped = clampedChange(document, change);
        TextDocument.update(document, [clamped], version);
        const isWhole = !('range' in clamped);
        editedAt = isWhole ? undefined : document.offsetAt(clamped.range.start) + clamped.text.length;
      }
      return document;
    },
  });
  documents.onDidChangeContent(({ document }) => {
    const { uri, languageId } = document;
    listener.changed(snapshot(uri, languageId, document.getText()), editedAt);
    editedAt = undefined;
  });
  documents.onDidClose(({ document: { uri } }) => {
    listener.closed(uri);
  });
  return documents;
}

/** Creates the snapshot of a document, which knows whether the text may enter prompts. */
export function snapshot(uri: string, languageId: string, text: string): DocumentSnapshot {
  // A change of a client can split a surrogate pair.
  return documentSnapshot({ uri, languageId, text: text.toWellFormed(), fileName: nameOf(uri) });
}

/**
 * Returns the name of a file for prompts, the log and statistics. A cell has the name of its notebook, since its own
 * name is random. Line breaks and control characters, such as those that reverse text, are replaced.
 */
function nameOf(uri: string): string {
  const path = fileOf(uri);
  const name = decoded(/[^/:]*$/.exec(path)?.[0] ?? path);
  return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD').slice(0, MAX_NAME_LENGTH);
}

function newDocument(uri: unknown, languageId: unknown, version: unknown, text: unknown): TextDocument {
  const strings = [uri, languageId, text];
  if (strings.some((value) => typeof value !== 'string') || typeof version !== 'number')
    throw new TypeError(
      `The text document ${String(uri)} lacks fields. Send its uri, languageId, version and text.`,
    );
  const language = languageOf(String(languageId), nameOf(String(uri)));
  return TextDocument.create(String(uri), language, version, String(text));
}

/**
 * Clamps a change to the document: positions beyond its end would corrupt the library's table of lines. A client can
 * send null for the range of a change that replaces the whole text.
 */
function clampedChange(
  document: TextDocument,
  { range, text }: { readonly range?: Range | null; readonly text: string },
): TextDocumentContentChangeEvent {
  if (!range) return { text };
  const start = clampedPosition(document, range.start);
  return { text, range: { start, end: clampedPosition(document, range.end) } };
}

function clampedPosition(document: TextDocument, position: Position): Position {
  if (!isPosition(position))
    throw new TypeError('A change has no position. Send line and character as whole numbers.');
  return document.positionAt(document.offsetAt(position));
}

/** Returns whether a value is a position. `offsetAt` clamps integers that are out of range. */
function isPosition(value: Position): boolean {
  return Number.isInteger(value.line) && Number.isInteger(value.character);
}
