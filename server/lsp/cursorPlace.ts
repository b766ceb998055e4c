// What a client tells of a cursor that rests. Anything else than a place in an open document is none.
import type { TextDocuments } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import * as z from 'zod/mini';
import { offsetOf } from './wholeCharacters';

const PARAMS = z.object({ uri: z.string(), position: z.object({ line: z.int(), character: z.int() }) });

export function cursorPlace(documents: Pick<TextDocuments<TextDocument>, 'get'>, given: unknown) {
  const { data } = PARAMS.safeParse(given);
  if (data === undefined) return undefined;
  const document = documents.get(data.uri);
  if (document === undefined) return undefined;
  const { uri, languageId } = document;
  return { uri, languageId, offset: offsetOf(document, data.position) };
}
