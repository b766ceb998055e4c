// Ghost text, seen from the editor: gate or ask the server, then tie each item to the acceptance counters.
// What to suggest, and when to stay silent, is the server's business.
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import type { AcceptanceRecorder } from './acceptanceRecorder';
import type { EditorGate } from './editorGate';
import type { KeystrokeTimes } from './keystrokeTimes';

type InlineCompletionMiddleware = NonNullable<Middleware['provideInlineCompletionItems']>;

/** Runs when an item is accepted to its end; its argument is the id of the offer. */
export const ACCEPTED_COMMAND = 'flashline._accepted';

export interface InlineCompletionParts {
  readonly gate: EditorGate;
  readonly acceptance: AcceptanceRecorder;
  readonly times: KeystrokeTimes;
}

export function inlineCompletion({
  gate,
  acceptance,
  times,
}: InlineCompletionParts): InlineCompletionMiddleware {
  return async (document, position, context, token, next) => {
    const explicit = context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
    const asked = times.measure(document, () =>
      gate.suggestion(document, position, explicit) === undefined
        ? next(document, position, context, token)
        : undefined,
    );
    const answer = await asked;
    if (!answer || token.isCancellationRequested) return [];
    return times.measure(document, () => {
      const items = 'items' in answer ? answer.items : answer;
      // VS Code shows the first one; more would be worked out for nothing.
      const shown = explicit ? items : items.slice(0, 1);
      const offer = acceptance.offer(document, position, shown);
      for (const item of shown)
        item.command = {
          command: ACCEPTED_COMMAND,
          title: vscode.l10n.t('Suggestion accepted'),
          arguments: [offer],
        };
      return shown;
    });
  };
}
