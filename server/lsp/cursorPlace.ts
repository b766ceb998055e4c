// What a client tells of a cursor that rests: a place in an open document.
import type { TextDocuments } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { Method } from '../protocol/messages';
import { paramsOf } from './messageSchemas';
import { offsetOf } from './wholeCharacters';

/** Undefined where the document is not open. Throws a WrongMessage for anything but CursorParams. */
export function cursorPlace(documents: Pick<TextDocuments<TextDocument>, 'get'>, given: unknown) {
  const { position, uri: opened } = paramsOf(Method.cursor, given);
  const document = documents.get(opened);
  if (document === undefined) return undefined;
  const { uri, languageId } = document;
  return { uri, languageId, offset: offsetOf(document, position) };
}
