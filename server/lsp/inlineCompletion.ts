// textDocument/inlineCompletion: takes a document and a position, returns items, and those that are known earlier. Never
// throws. The session decides what is suggested, if anything.
import type { InlineCompletionItem, TextDocuments } from 'vscode-languageserver/node';
import { InlineCompletionTriggerKind, ProgressType, type Connection } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { CompletionSession } from '../completion/session/completionSession';
import { failureLine } from '../rules/inputError';
import type { ClientSettings, ItemAddition } from '../protocol/messages';
import type { Suggestion } from '../completion/session/suggest';
import type { UsableModel } from '../hosting/loadedModel';
import { INLINE_COMPLETION, paramsOf, WrongMessage } from './messageSchemas';
import { offsetOf } from './openDocuments';

interface Parts {
  readonly connection: Connection;
  readonly documents: TextDocuments<TextDocument>;
  readonly session: CompletionSession<UsableModel>;
  readonly log: (line: string) => void;
  readonly onWrongMessage: (method: string, error: WrongMessage) => void;
}

const growing = new ProgressType<InlineCompletionItem[]>();

/** Null means that there is nothing to show, for whatever reason. */
export async function inlineCompletion(
  { connection, documents, session, log, onWrongMessage }: Parts,
  params: unknown,
  settings: ClientSettings,
  signal: AbortSignal,
): Promise<InlineCompletionItem[] | null> {
  try {
    const asked = paramsOf(INLINE_COMPLETION, params);
    const { position, context, growingResultToken: growingToken, formatting } = asked;
    const { uri } = asked.textDocument;
    const document = documents.get(uri);
    if (document === undefined) return null;
    const offset = offsetOf(document, position);
    const info = context.selectedCompletionInfo ?? undefined;
    const selected = info && {
      start: offsetOf(document, info.range.start),
      end: offsetOf(document, info.range.end),
      text: info.text,
    };
    if (selected && (selected.start > offset || selected.end < offset)) return null;
    // Before the first await, as the document keeps changing.
    const start = document.positionAt(selected?.start ?? offset);
    const { line, character } = document.positionAt(selected?.end ?? offset);
    const trigger = context.triggerKind === InlineCompletionTriggerKind.Invoked ? 'explicit' : 'automatic';
    const items = (suggestions: readonly Suggestion[]): (InlineCompletionItem & ItemAddition)[] =>
      suggestions.map(({ text, behind, keepProbability }) => ({
        insertText: text,
        range: { start, end: { line, character: character + behind } },
        ...(keepProbability !== undefined && { keepProbability }),
      }));
    const onPart = (suggestions: readonly Suggestion[]): void => {
      // Sending fails when the client has gone.
      if (growingToken !== undefined)
        connection.sendProgress(growing, growingToken, items(suggestions)).catch(() => undefined);
    };
    const editorUnit = formatting && (formatting.insertSpaces ? ' '.repeat(formatting.tabSize) : '\t');
    const request = { uri, offset, selected, editorUnit, trigger, settings, signal, onPart } as const;
    const suggestions = await session.complete(request);
    return suggestions.length === 0 ? null : items(suggestions);
  } catch (error) {
    if (error instanceof WrongMessage) onWrongMessage('completion', error);
    else log(failureLine('completion', error));
    return null;
  }
}
