// Answers VS Code's requests for inline completions at each keystroke. Decides whether to request suggestions and what
// to count; the server decides what to suggest.
import * as vscode from 'vscode';
import { followingText, type Acceptance } from './acceptance';
import type { Dismissals } from './dismissals';
import { documentLanguage } from '../gate/documentLanguage';
import type { EditorGate } from '../gate/gate';
import type { GrowingSuggestions } from './growingSuggestions';
import type { NextEdit } from '../nextEdit/nextEdit';

/** Runs when an item is accepted in full; its arguments are the id of the offer and the language of the document. */
export const ACCEPTED_COMMAND = 'flashline._accepted';

/** An answer to VS Code with suggestions, possibly none. */
export interface Answer {
  readonly uri: string;
  /** Version of the document at the time of the request. */
  readonly version: number;
  readonly position: vscode.Position;
  /** Entry selected in the completion list. */
  readonly selected: string | undefined;
  readonly texts: readonly string[];
}

interface ProviderParts {
  readonly gate: EditorGate;
  readonly suggestions: GrowingSuggestions;
  readonly acceptance: Acceptance;
  readonly dismissals: Dismissals;
  readonly nextEdit: NextEdit;
}

export class InlineCompletionProvider implements vscode.Disposable {
  readonly #requested = new vscode.EventEmitter<{
    document: vscode.TextDocument;
    position: vscode.Position;
  }>();
  readonly #shown = new vscode.EventEmitter<number>();
  readonly #answered = new vscode.EventEmitter<Answer>();
  #latestOffer = 0;

  /** Fires for each request that passes the gate, before it is answered, even if the server is not asked. */
  readonly onRequest = this.#requested.event;
  /** Fires with the duration of each automatic request that showed a new suggestion, ms. */
  readonly onShown = this.#shown.event;
  /** Fires with each answer, except where the gate is closed, a next edit is shown or the request was cancelled. */
  readonly onAnswer = this.#answered.event;

  constructor(private readonly parts: ProviderParts) {}

  /**
   * Returns the next edit if it is shown as ghost text here, no items where the gate is closed, and otherwise the
   * server's, each tied to the acceptance counters.
   */
  async provideInlineCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    const { gate, suggestions, acceptance, dismissals, nextEdit } = this.parts;
    const edit = nextEdit.ghostItem(document, position, context);
    if (edit) return [edit];
    const isExplicit = suggestions.isExplicit(document, context);
    if (gate.whyNoSuggestion(document, position, isExplicit) !== undefined) return [];
    this.#requested.fire({ document, position });
    const { version } = document;
    const requestedAt = suggestions.continued?.at ?? performance.now();
    const items = await suggestions.items(document, position, context, token);
    if (token.isCancellationRequested) return [];
    // VS Code shows only the first item of an automatic request.
    const shown = isExplicit
      ? items
      : items.slice(0, 1).filter((item) => !dismissals.has(document, position, item));
    const offer = acceptance.offer(document, position, shown);
    // A suggestion that the user types along is answered from memory and keeps its offer.
    if (!isExplicit && offer > this.#latestOffer) this.#shown.fire(performance.now() - requestedAt);
    this.#latestOffer = offer;
    const command = {
      command: ACCEPTED_COMMAND,
      title: 'Suggestion accepted',
      arguments: [offer, documentLanguage(document)],
    };
    for (const item of shown) item.command = command;
    this.#answered.fire({
      uri: document.uri.toString(),
      version,
      position,
      selected: context.selectedCompletionInfo?.text,
      texts: shown.map((item) => followingText(item, position)),
    });
    return shown;
  }

  dispose(): void {
    for (const emitter of [this.#requested, this.#shown, this.#answered]) emitter.dispose();
  }
}
