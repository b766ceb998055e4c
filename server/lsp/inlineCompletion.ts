// textDocument/inlineCompletion: takes a document and a position, returns items. Never throws. The session decides what
// is suggested, if anything.
import type { InlineCompletionItem, InlineCompletionParams, TextDocuments } from 'vscode-languageserver/node';
import { InlineCompletionTriggerKind } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { CompletionSession } from '../completion/completionSession';
import { failureLine } from '../inputError';
import type { ServerSettings } from '../protocol';
import type { UsableModel } from './loadedModel';
import { isPosition } from './openDocuments';

interface Parts {
  readonly documents: TextDocuments<TextDocument>;
  readonly session: CompletionSession<UsableModel>;
  readonly log: (line: string) => void;
}

/** Null means that there is nothing to show, for whatever reason. */
export async function inlineCompletion(
  { documents, session, log }: Parts,
  { textDocument: { uri }, position, context }: InlineCompletionParams,
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
    const suggestions = await session.complete({ uri, offset, selected, trigger, settings, signal });
    if (suggestions.length === 0) return null;
    return suggestions.map(({ text, behind }) => ({
      insertText: text,
      range: { start, end: { line, character: character + behind } },
    }));
  } catch (error) {
    log(failureLine('completion', error));
    return null;
  }
}
