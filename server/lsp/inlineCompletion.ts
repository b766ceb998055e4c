// Converts the parameters of textDocument/inlineCompletion to a cursor in a document, and suggestions to items.
import {
  InlineCompletionTriggerKind,
  ProgressType,
  type Connection,
  type InlineCompletionItem,
  type Range,
  type TextDocuments,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { RequestedCursor } from '../completion/session/completionSession';
import type { Suggestion } from '../completion/session/suggestionRequest';
import type { INLINE_COMPLETION, ItemAddition } from '../protocol/messages';
import type { ParamsOf } from './messageSchemas';
import { offsetOf } from './positions';

interface CursorWithRange extends RequestedCursor {
  /** Range that an item replaces, without the closers after the cursor that some items replace too. */
  readonly range: Range;
}

const GROWING = new ProgressType<InlineCompletionItem[]>();

/**
 * Returns the cursor of a request; undefined if the document is not open, or if the entry selected in the IntelliSense
 * list would replace a range without the cursor.
 */
export function suggestionCursor(
  documents: TextDocuments<TextDocument>,
  { textDocument, position, context, formatting }: ParamsOf<typeof INLINE_COMPLETION>,
): CursorWithRange | undefined {
  const { uri } = textDocument;
  const document = documents.get(uri);
  if (document === undefined) return undefined;
  const offset = offsetOf(document, position);
  const info = context.selectedCompletionInfo;
  const selected = info && {
    start: offsetOf(document, info.range.start),
    end: offsetOf(document, info.range.end),
    text: info.text,
  };
  if (selected && (selected.start > offset || selected.end < offset)) return undefined;
  const range = {
    start: document.positionAt(selected?.start ?? offset),
    end: document.positionAt(selected?.end ?? offset),
  };
  const trigger = context.triggerKind === InlineCompletionTriggerKind.Invoked ? 'explicit' : 'automatic';
  const editorUnit = formatting && (formatting.insertSpaces ? ' '.repeat(formatting.tabSize) : '\t');
  return { uri, offset, selected, editorUnit, trigger, range };
}

/** Converts suggestions to items. Each replaces the range, and `replacesAfter` characters following it. */
export function completionItems(
  suggestions: readonly Suggestion[],
  { start, end: { line, character } }: Range,
): (InlineCompletionItem & ItemAddition)[] {
  return suggestions.map(({ text, replacesAfter, keepProbability }) => ({
    insertText: text,
    range: { start, end: { line, character: character + replacesAfter } },
    ...(keepProbability !== undefined && { keepProbability }),
  }));
}

/** Sends items to show before the response, if the client has sent a token for them. */
export function sendGrowing(
  connection: Connection,
  token: string | number | undefined,
  items: InlineCompletionItem[],
): void {
  // Sending fails if the client has gone.
  if (token !== undefined) connection.sendProgress(GROWING, token, items).catch(() => undefined);
}
