// The middleware between VS Code and the library's client: which documents the server learns about, and ghost text as
// the editor sees it. What to suggest, and when to stay silent, is up to the server.
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import type { Acceptance } from './acceptance';
import type { EditorGate } from './gate';
import { t } from './translate';

/** Runs when an item is accepted in full; its argument is the id of the offer. */
export const ACCEPTED_COMMAND = 'flashline._accepted';

export function middleware(gate: EditorGate, acceptance: Acceptance): Middleware {
  /**
   * Documents with secrets, huge ones and excluded ones: the server never learns that they are open, so no prompt can
   * quote them. A new server is sent all open documents, so each start decides again.
   */
  const hiddenDocuments = new Set<string>();
  return {
    didOpen: async (document, next) => {
      const uri = document.uri.toString();
      if (gate.hidden(document) !== undefined) return void hiddenDocuments.add(uri);
      hiddenDocuments.delete(uri);
      await next(document);
    },
    didChange: async (event, next) => {
      if (!hiddenDocuments.has(event.document.uri.toString())) await next(event);
    },
    didClose: async (document, next) => {
      if (!hiddenDocuments.delete(document.uri.toString())) await next(document);
    },
    /** Asks the gate or the server, then ties each item to the acceptance counters. */
    provideInlineCompletionItems: async (document, position, context, token, next) => {
      const explicit = context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
      if (gate.suggestion(document, position, explicit) !== undefined) return [];
      const answer = await next(document, position, context, token);
      if (!answer || token.isCancellationRequested) return [];
      const items = 'items' in answer ? answer.items : answer;
      // VS Code shows the first one; more would be wasted work.
      const shown = explicit ? items : items.slice(0, 1);
      const offer = acceptance.offer(document, position, shown);
      const title = t('Suggestion accepted');
      for (const item of shown) item.command = { command: ACCEPTED_COMMAND, title, arguments: [offer] };
      return shown;
    },
  };
}
