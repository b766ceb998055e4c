// The documents that the client has open, kept up to date by its notifications. Invalid documents and positions are
// rejected here, so that no later code has to deal with them. Also what a client tells of places and files around them.
import {
  TextDocuments,
  type Position,
  type TextDocumentContentChangeEvent,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { CompletionSession } from '../completion/session/completionSession';
import type { DocumentSnapshot } from '../completion/prompt/context';
import { decoded, documentSnapshot } from '../completion/prompt/eligibility';
import type { LocalModel } from '../hosting/model';
import { Method } from '../protocol/messages';
import { paramsOf } from './messageSchemas';
import type { Needed } from '../completion/prompt/definitions';
import { languageOf } from '../rules/fileLanguage';
import { isMiddleOfKey } from '../rules/secretTexts';

/** No file system has longer ones. */
const LONGEST_NAME = 255;

/** Tells `session` about each version, and where the last change ended unless the whole text was replaced. */
export function openDocuments(
  session: Pick<CompletionSession<LocalModel>, 'changed' | 'closed'>,
): TextDocuments<TextDocument> {
  let editedAt: number | undefined;
  const documents = new TextDocuments({
    create: newDocument,
    update: (document, changes, version) => {
      for (const each of changes) TextDocument.update(document, [inside(document, each)], version);
      const last = changes.at(-1);
      if (last && 'range' in last) editedAt = document.offsetAt(last.range.start) + last.text.length;
      return document;
    },
  });
  documents.onDidChangeContent(({ document }) => {
    const { uri, languageId } = document;
    session.changed(snapshot({ uri, languageId, text: document.getText() }), editedAt);
    editedAt = undefined;
  });
  documents.onDidClose(({ document: { uri } }) => {
    session.closed(uri);
  });
  return documents;
}

/** Whether it may enter prompts is checked here. */
function snapshot(document: Pick<DocumentSnapshot, 'uri' | 'languageId' | 'text'>): DocumentSnapshot {
  // Clients may cut a character of two units in half.
  const text = document.text.toWellFormed();
  return documentSnapshot({ ...document, text, fileName: nameOf(document.uri) });
}

/** A part of a file that need not be open, with an unknown language. */
function closedFile(uri: string, text: string): DocumentSnapshot {
  return snapshot({ uri, languageId: '', text });
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
  const language = languageOf(String(languageId), nameOf(String(uri)));
  return TextDocument.create(String(uri), language, version, String(text));
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

/** Undefined where the document is not open. Throws a WrongMessage for anything but CursorParams. */
export function cursorPlace(documents: Pick<TextDocuments<TextDocument>, 'get'>, given: unknown) {
  const { position, uri: opened } = paramsOf(Method.cursor, given);
  const document = documents.get(opened);
  if (document === undefined) return undefined;
  const { uri, languageId } = document;
  return { uri, languageId, offset: offsetOf(document, position) };
}

/** A file imports more, but a prompt has no room for it. */
const MOST_DEFINITIONS = 32;
/** Of a notebook, the nearest ones. */
const MOST_CELLS = 64;
/** An outline needs no more characters. */
const LONGEST_DEFINITION = 20_000;

/**
 * Files that may not enter prompts are left out, whatever the client thinks of them. Throws a WrongMessage for anything
 * but DefinitionsParams.
 */
export function parseDefinitions(given: unknown): Needed & { uri: string } {
  const { uri: importer, definitions, above = [] } = paramsOf(Method.definitions, given);
  const files = definitions
    .slice(0, MOST_DEFINITIONS)
    .map(({ uri, text }) => closedFile(uri, text.slice(0, LONGEST_DEFINITION)));
  // A part of a file may be one of a key.
  const quotable = files.filter(({ ineligible, text }) => ineligible === undefined && !isMiddleOfKey(text));
  return { uri: importer, definitions: quotable, above: above.slice(-MOST_CELLS) };
}

/** Inside a character, its start. */
export function offsetOf(document: TextDocument, position: Position): number {
  return startOfCharacter(document.getText(), document.offsetAt(position));
}

/** `offset`, or the start of the character that it is inside of. */
export function startOfCharacter(text: string, offset: number): number {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff ? offset - 1 : offset;
}
