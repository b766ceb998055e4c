// textDocument/inlineCompletion: takes a document and a position, returns items, and those that are known earlier. Never
// throws. The session decides what
// is suggested, if anything.
import type { InlineCompletionItem, InlineCompletionParams, TextDocuments } from 'vscode-languageserver/node';
import { InlineCompletionTriggerKind, ProgressType, type Connection } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import * as z from 'zod/mini';
import type { CompletionSession } from '../completion/completionSession';
import { failureLine } from '../inputError';
import type { ServerSettings } from '../protocol';
import type { Suggestion } from '../completion/suggest';
import type { UsableModel } from './loadedModel';
import { isPosition } from './openDocuments';
import { STREAM } from './requestSignal';

interface Parts {
  readonly connection: Connection;
  readonly documents: TextDocuments<TextDocument>;
  readonly session: CompletionSession<UsableModel>;
  readonly log: (line: string) => void;
}

/** Our addition to the parameters. */
const GROWING = z.object({ growingResultToken: STREAM });

const growing = new ProgressType<InlineCompletionItem[]>();

/** Null means that there is nothing to show, for whatever reason. */
export async function inlineCompletion(
  { connection, documents, session, log }: Parts,
  { textDocument: { uri }, position, context, ...extra }: InlineCompletionParams,
  settings: ServerSettings,
  signal: AbortSignal,
): Promise<InlineCompletionItem[] | null> {
  try {
    const document = documents.get(uri);
    if (document === undefined || !isPosition(position)) return null;
    const offset = document.offsetAt(position);
    const info = context.selectedCompletionInfo;
    if (info && !isPosition(info.range.start)) return null;
    const selected = info && { start: document.offsetAt(info.range.start), text: info.text };
    // The range from there to the cursor is replaced.
    if (selected && selected.start > offset) return null;
    // Before the first await, as the document keeps changing.
    const start = document.positionAt(selected?.start ?? offset);
    const { line, character } = document.positionAt(offset);
    const trigger = context.triggerKind === InlineCompletionTriggerKind.Invoked ? 'explicit' : 'automatic';
    const items = (suggestions: readonly Suggestion[]): InlineCompletionItem[] =>
      suggestions.map(({ text, behind }) => ({
        insertText: text,
        range: { start, end: { line, character: character + behind } },
      }));
    const { growingResultToken: growingToken } = GROWING.parse(extra);
    const onPart = (suggestions: readonly Suggestion[]): void => {
      // Sending fails when the client has gone.
      if (growingToken !== undefined)
        connection.sendProgress(growing, growingToken, items(suggestions)).catch(() => undefined);
    };
    const suggestions = await session.complete({ uri, offset, selected, trigger, settings, signal, onPart });
    return suggestions.length === 0 ? null : items(suggestions);
  } catch (error) {
    log(failureLine('completion', error));
    return null;
  }
}
