// The documents that the client has open, kept up to date by its notifications. Invalid documents and positions are
// rejected here, so that no later code has to deal with them.
import {
  TextDocuments,
  type Position,
  type TextDocumentContentChangeEvent,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { CompletionSession } from '../completion/session/completionSession';
import type { DocumentSnapshot } from '../completion/prompt/context';
import { decoded, documentSnapshot } from '../completion/prompt/eligibility';
import type { LoadedModel } from '../hosting/loadedModel';
import { wholeCharacters } from './wholeCharacters';

/** No file system has longer ones. */
const LONGEST_NAME = 255;

/** Tells `session` about each version, and where the last change ended unless the whole text was replaced. */
export function openDocuments(
  session: Pick<CompletionSession<LoadedModel>, 'changed' | 'closed'>,
): TextDocuments<TextDocument> {
  let editedAt: number | undefined;
  const documents = new TextDocuments({
    create: newDocument,
    update: (document, changes, version) => {
      for (const change of changes) TextDocument.update(document, [inside(document, change)], version);
      const last = changes.at(-1);
      if (last && 'range' in last) editedAt = document.offsetAt(last.range.start) + last.text.length;
      return document;
    },
  });
  documents.onDidChangeContent(({ document }) => {
    const { uri, languageId, version } = document;
    const text = document.getText();
    session.changed(snapshot({ uri, languageId, version, text }), editedAt);
    editedAt = undefined;
  });
  documents.onDidClose(({ document: { uri } }) => {
    session.closed(uri);
  });
  return documents;
}

/** Whether it may enter prompts is checked here. */
function snapshot(
  document: Pick<DocumentSnapshot, 'uri' | 'languageId' | 'version' | 'text'>,
): DocumentSnapshot {
  const text = wholeCharacters(document.text);
  return documentSnapshot({ ...document, text, fileName: nameOf(document.uri) });
}

/** A part of a file that need not be open, with an unknown language. */
export function closedFile(uri: string, text: string): DocumentSnapshot {
  return snapshot({ uri, languageId: '', version: 0, text });
}

/**
 * As a person knows it; a cell goes by its notebook, as its own name is a random one. Without what would begin another
 * line, or run backwards: names are in prompts, in the log and in statistics.
 */
function nameOf(uri: string): string {
  const path = uri.startsWith('vscode-notebook-cell:') ? uri.replace(/#.*/s, '') : uri;
  const name = decoded(/[^/:]*$/.exec(path)?.[0] ?? path);
  return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD').slice(0, LONGEST_NAME);
}

function newDocument(uri: unknown, languageId: unknown, version: unknown, text: unknown): TextDocument {
  const words = [uri, languageId, text];
  if (words.some((word) => typeof word !== 'string') || typeof version !== 'number')
    throw new TypeError(
      `Expected a text document, got something else for ${String(uri)}; send all its fields`,
    );
  return TextDocument.create(String(uri), String(languageId), version, String(text));
}

/** Positions beyond the end would leave gaps in the document's table of lines. */
function inside(
  document: TextDocument,
  change: TextDocumentContentChangeEvent,
): TextDocumentContentChangeEvent {
  if (!('range' in change)) return change;
  const { start, end } = change.range;
  return { text: change.text, range: { start: placeIn(document, start), end: placeIn(document, end) } };
}

function placeIn(document: TextDocument, position: Position): Position {
  if (!isPosition(position))
    throw new TypeError('Expected a line and a character, got none; send the change again');
  return document.positionAt(document.offsetAt(position));
}

/** The document clamps numbers out of range; anything else is not a position. */
function isPosition(value: Position): boolean {
  return Number.isInteger(value.line) && Number.isInteger(value.character);
}
