// The request flashline/nextEdit: takes an open document, returns where its last edit may be made again. Needs no model.
import type { TextDocuments } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import * as z from 'zod/mini';
import type { CompletionSession } from '../completion/completionSession';
import type { NextEdit } from '../protocol';
import type { UsableModel } from './loadedModel';
import { refused } from './requestSignal';

const PARAMS = z.object({ uri: z.string() });

/** Null where no place is likely. Throws a ResponseError for parameters that the client must correct. */
export function nextEditRequest(
  documents: TextDocuments<TextDocument>,
  session: Pick<CompletionSession<UsableModel>, 'nextEdit'>,
  params: unknown,
  signal: AbortSignal,
): NextEdit | null {
  const { data: asked } = PARAMS.safeParse(params);
  if (asked === undefined) throw refused('Expected uri, got something else; send NextEditParams');
  const document = documents.get(asked.uri);
  const change = document && !signal.aborted ? session.nextEdit(asked.uri) : undefined;
  if (document === undefined || change === undefined) return null;
  const [start, end] = [document.positionAt(change.start), document.positionAt(change.end)];
  return { range: { start, end }, newText: change.text };
}
