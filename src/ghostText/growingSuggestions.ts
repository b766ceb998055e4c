// Grows ghost text: shows the first partial result immediately and replaces it with the complete one. VS Code accepts
// one result per request, so it is triggered to request again once there is more. Knows neither settings nor files.
import * as vscode from 'vscode';
import type { FlashlineClient } from '../connection/client';
import type { Acceptance } from './acceptance';

/** A position in one version of a document, and the entry selected in the IntelliSense list there. */
interface CursorState {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly position: vscode.Position;
  readonly selected: vscode.SelectedCompletionInfo | undefined;
}

interface CompleteResult extends CursorState {
  readonly items: vscode.InlineCompletionItem[];
}

/**
 * Delay of cancellations. VS Code cancels a request when its list opens or another entry is selected, and makes a new
 * one 50 ms later. The server can already be generating a text that begins with that entry.
 */
const CANCEL_DELAY_MS = 120;

export class GrowingSuggestions {
  #latestRequest: vscode.CancellationTokenSource | undefined;
  /** Complete result of a request of which a part was shown. */
  #complete: CompleteResult | undefined;
  /** Whether VS Code was triggered to request again and has not yet done so. */
  #isTriggered = false;
  /** Count of requests that the server is processing. */
  #runningCount = 0;

  constructor(
    private readonly client: FlashlineClient,
    private readonly acceptance: Acceptance,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  get isRequesting(): boolean {
    return this.#runningCount > 0;
  }

  /**
   * Returns the first partial result. Once there is more, triggers VS Code to request again, and answers that request
   * with the complete result. Never rejects.
   */
  async items(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    const selected = context.selectedCompletionInfo;
    const cursor: CursorState = { document, position, version: document.version, selected };
    const complete = this.#complete && isSame(this.#complete, cursor) ? this.#complete : undefined;
    const isTriggered = this.#isTriggered;
    this.#isTriggered = false;
    if (complete && this.acceptance.isOffered(document, position)) return complete.items;
    this.#complete = undefined;
    // This is the triggered request, but the user dismissed the suggestion in the meantime.
    if (complete && isTriggered) return [];
    const request = this.#newRequest();
    const cancellation = token.onCancellationRequested(() => {
      setTimeout(() => request.cancel(), document.version === cursor.version ? CANCEL_DELAY_MS : 0);
    });
    try {
      return await this.#firstPart(
        request,
        (onPart) => this.client.suggestions({ document, position, context }, onPart, request.token),
        (items) => {
          if (this.#latestRequest === request) this.#grow({ ...cursor, items }, request.token);
        },
      );
    } catch (error) {
      if (!request.token.isCancellationRequested) this.log.error('Requesting suggestions failed.', error);
      return [];
    } finally {
      cancellation.dispose();
    }
  }

  /** Makes the latest request and cancels the one before. */
  #newRequest(): vscode.CancellationTokenSource {
    const before = this.#latestRequest;
    // The server ends the old request, or continues it for the new one; an immediate cancellation would prevent that.
    setTimeout(() => before?.cancel(), CANCEL_DELAY_MS);
    return (this.#latestRequest = new vscode.CancellationTokenSource());
  }

  /** Resolves with the first part of the result. Calls `onMore` with the complete result if its texts differ. */
  #firstPart(
    request: vscode.CancellationTokenSource,
    send: (onPart: (items: vscode.InlineCompletionItem[]) => void) => Promise<vscode.InlineCompletionItem[]>,
    onMore: (items: vscode.InlineCompletionItem[]) => void,
  ): Promise<vscode.InlineCompletionItem[]> {
    return new Promise((resolve, reject) => {
      let shown: string | undefined;
      const show = (items: vscode.InlineCompletionItem[]): void => {
        shown ??= textsOf(items);
        resolve(items);
      };
      this.#runningCount += 1;
      send(show)
        .then((items) => {
          show(items);
          if (items.length > 0 && textsOf(items) !== shown) onMore(items);
        })
        .catch(reject)
        .finally(() => {
          this.#runningCount -= 1;
          request.dispose();
        });
    });
  }

  /** Shows the complete result in place of the part, unless the part is no longer visible. */
  #grow(complete: CompleteResult, token: vscode.CancellationToken): void {
    const { document, position, version } = complete;
    const editor = vscode.window.activeTextEditor;
    const isThere = editor?.document === document && editor.selection.active.isEqual(position);
    if (token.isCancellationRequested || !isThere || document.version !== version) return;
    if (!this.acceptance.isOffered(document, position)) return;
    this.#complete = complete;
    this.#isTriggered = true;
    // When triggered, VS Code keeps the visible suggestion, so hide it first. It keeps none beside a selected entry.
    if (complete.selected === undefined)
      void vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    const triggered = vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
    // By the end of the command, VS Code has requested again, or it will not.
    const onEnd = (): void => void (this.#isTriggered = false);
    triggered.then(onEnd, onEnd);
  }
}

function isSame(a: CursorState, b: CursorState): boolean {
  const isHere = a.document === b.document && a.version === b.version && a.position.isEqual(b.position);
  return isHere && JSON.stringify(a.selected) === JSON.stringify(b.selected);
}

function textsOf(items: readonly vscode.InlineCompletionItem[]): string {
  return JSON.stringify(items.map(({ insertText }) => insertText));
}
