// Grows ghost text: shows the first partial result immediately and replaces it with the complete one. VS Code accepts
// one result per request, so it is triggered to request again once there is more. Knows neither settings nor files.
import * as vscode from 'vscode';
import type { FlashlineClient } from '../connection/client';
import type { Acceptance } from './acceptance';

/** A position in a document at one version, and the entry selected in the IntelliSense list there. */
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
 * Delay of cancellations. VS Code cancels a request when its list opens or another entry is selected, and requests
 * again 50 ms later. The server can already be generating a text that begins with that entry.
 */
const ASKS_AGAIN_MS = 120;

export class GrowingSuggestions {
  #asking: vscode.CancellationTokenSource | undefined;
  /** Complete result of a request of which a part was shown. */
  #complete: CompleteResult | undefined;
  /** True after VS Code was triggered to request again, until it does. */
  #isTriggered = false;
  /** Requests that the server is processing. */
  #count = 0;

  constructor(
    private readonly client: Pick<FlashlineClient, 'suggestions'>,
    private readonly acceptance: Pick<Acceptance, 'isOffered'>,
    private readonly log: Pick<vscode.LogOutputChannel, 'error'>,
  ) {}

  get isRequesting(): boolean {
    return this.#count > 0;
  }

  /** Returns the first partial result. Once there is more, triggers VS Code to request again. Never rejects. */
  async items(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    const place = { document, position, version: document.version, selected: context.selectedCompletionInfo };
    const complete = this.#complete && isSame(this.#complete, place) ? this.#complete : undefined;
    const isTriggered = this.#isTriggered;
    this.#isTriggered = false;
    if (complete && this.acceptance.isOffered(document, position)) return complete.items;
    this.#complete = undefined;
    // This is the triggered request, but the user dismissed the suggestion in the meantime.
    if (complete && isTriggered) return [];
    const before = this.#asking;
    const asking = (this.#asking = new vscode.CancellationTokenSource());
    // The server ends the old request, or continues it for the new one; an immediate cancellation would prevent that.
    setTimeout(() => before?.cancel(), ASKS_AGAIN_MS);
    const cancelled = token.onCancellationRequested(() => {
      setTimeout(() => asking.cancel(), document.version === place.version ? ASKS_AGAIN_MS : 0);
    });
    let shown: string | undefined;
    try {
      return await new Promise<vscode.InlineCompletionItem[]>((resolve, reject) => {
        const show = (items: vscode.InlineCompletionItem[]): void => {
          shown ??= textsOf(items);
          resolve(items);
        };
        this.#count += 1;
        this.client
          .suggestions({ document, position, context }, show, asking.token)
          .then((items) => {
            show(items);
            if (items.length > 0 && this.#asking === asking && textsOf(items) !== shown)
              this.#grow({ ...place, items }, context.triggerKind, asking.token);
          })
          .catch(reject)
          .finally(() => {
            this.#count -= 1;
            asking.dispose();
          });
      });
    } catch (error) {
      if (!asking.token.isCancellationRequested) this.log.error('Asking for suggestions failed.', error);
      return [];
    } finally {
      cancelled.dispose();
    }
  }

  /** Shows the complete result in place of the part, unless the part is no longer visible. */
  #grow(
    complete: CompleteResult,
    triggerKind: vscode.InlineCompletionTriggerKind,
    token: vscode.CancellationToken,
  ): void {
    const { document, position, version } = complete;
    const editor = vscode.window.activeTextEditor;
    const isThere = editor?.document === document && editor.selection.active.isEqual(position);
    if (token.isCancellationRequested || !isThere || document.version !== version) return;
    if (!this.acceptance.isOffered(document, position)) return;
    this.#complete = complete;
    this.#isTriggered = true;
    // VS Code answers a manual request with the visible suggestion, so hide a manually requested one first.
    if (triggerKind === vscode.InlineCompletionTriggerKind.Invoke)
      void vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    const triggered = vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
    // The command ends after VS Code has requested, or has not.
    const ended = (): void => void (this.#isTriggered = false);
    triggered.then(ended, ended);
  }
}

function isSame(a: CursorState, b: CursorState): boolean {
  const isHere = a.document === b.document && a.version === b.version && a.position.isEqual(b.position);
  return isHere && JSON.stringify(a.selected) === JSON.stringify(b.selected);
}

function textsOf(items: readonly vscode.InlineCompletionItem[]): string {
  return JSON.stringify(items.map(({ insertText }) => insertText));
}
