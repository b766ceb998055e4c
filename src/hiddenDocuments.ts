// Keeps documents with secrets, huge ones and excluded ones from the server altogether: it never hears that they
// are open, so no prompt can quote them. Decided when a document opens.
import type { Middleware } from 'vscode-languageclient/node';
import { documentFacts } from './documentFacts';
import { hiddenDocument } from './gate';
import type { KeystrokeTimes } from './keystrokeTimes';
import type { Settings } from './settings';

type SyncMiddleware = Required<Pick<Middleware, 'didOpen' | 'didChange' | 'didClose'>>;

/** A server that starts hears of all open documents, so each start decides anew. */
export function hiddenDocuments(settings: () => Settings, times: KeystrokeTimes): SyncMiddleware {
  const hidden = new Set<string>();
  return {
    didOpen: async (document, next) => {
      const uri = document.uri.toString();
      if (hiddenDocument(documentFacts(document), settings()) !== undefined) return void hidden.add(uri);
      hidden.delete(uri);
      await next(document);
    },
    didChange: async (event, next) => {
      if (!hidden.has(event.document.uri.toString())) await times.measure(event.document, () => next(event));
    },
    didClose: async (document, next) => {
      if (!hidden.delete(document.uri.toString())) await next(document);
    },
  };
}
