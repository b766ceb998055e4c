// A request of VS Code for ghost text, for a position in one version of a document, with the results that it gets.
import * as vscode from 'vscode';

/**
 * Time between a cancellation by VS Code and that of the request to the server. VS Code cancels a request when its list
 * opens or another entry is selected, and makes a new one 50 ms later. The server can already be generating a text that
 * begins with that entry.
 */
export const CANCEL_DELAY_MS = 120;

export class EditorRequest {
  /** Time of the request, in ms of performance.now(). */
  readonly at = performance.now();
  readonly version: number;
  /** Whether the user has asked for suggestions. */
  readonly isExplicit: boolean;
  /** Entry selected in the IntelliSense list. */
  readonly selected: vscode.SelectedCompletionInfo | undefined;
  /** Resolves with the first result that is given. */
  readonly answer: Promise<vscode.InlineCompletionItem[]>;
  /** Result to give when VS Code repeats the request, since it shows more than the last one given. */
  more: vscode.InlineCompletionItem[] | undefined;
  /** Cancels the request to the server. */
  readonly cancellation = new vscode.CancellationTokenSource();
  #resolve!: (items: vscode.InlineCompletionItem[]) => void;
  /** Last result that VS Code has received; undefined before the first. */
  #received: vscode.InlineCompletionItem[] | undefined;

  constructor(
    readonly document: vscode.TextDocument,
    readonly position: vscode.Position,
    readonly context: vscode.InlineCompletionContext,
  ) {
    this.version = document.version;
    this.isExplicit = context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
    this.selected = context.selectedCompletionInfo;
    this.answer = new Promise((resolve) => (this.#resolve = resolve));
  }

  get isAnswered(): boolean {
    return this.#received !== undefined;
  }

  /** Whether VS Code has received items, which it shows unless the user dismisses them. */
  get hasGivenItems(): boolean {
    return this.#received !== undefined && this.#received.length > 0;
  }

  /** Whether the cursor is still where it was at the request, in the same text. */
  get isCurrent(): boolean {
    const editor = vscode.window.activeTextEditor;
    const { document, version } = this;
    if (editor?.document !== document || document.version !== version) return false;
    return editor.selection.active.isEqual(this.position);
  }

  /**
   * If VS Code cancels before the first result, gives it no items. The request to the server then goes on only if its
   * result can be shown later.
   */
  followCancellation(token: vscode.CancellationToken): void {
    const onCancel = token.onCancellationRequested(() => {
      this.give([]);
      const delayMs = this.document.version === this.version ? CANCEL_DELAY_MS : 0;
      setTimeout(() => {
        // VS Code also cancels to open its list. If that stays closed, the result can still be shown.
        if (this.selected || !this.isCurrent) this.cancellation.cancel();
      }, delayMs);
    });
    void this.answer.then(() => {
      onCancel.dispose();
    });
  }

  isSame(other: EditorRequest): boolean {
    const isHere =
      this.document === other.document &&
      this.version === other.version &&
      this.position.isEqual(other.position);
    return isHere && JSON.stringify(this.selected) === JSON.stringify(other.selected);
  }

  /** Returns whether a result shows more than VS Code has received. After a part, only the complete result does. */
  isMore(items: vscode.InlineCompletionItem[], isComplete: boolean): boolean {
    const isOther = items.length > 0 && textsOf(items) !== textsOf(this.#received ?? []);
    return isOther && (isComplete || !this.hasGivenItems);
  }

  /** Gives VS Code a result: the first one as the answer, later ones when it has repeated the request. */
  give(items: vscode.InlineCompletionItem[]): vscode.InlineCompletionItem[] {
    this.#received = items;
    this.#resolve(items);
    return items;
  }
}

function textsOf(items: readonly vscode.InlineCompletionItem[]): string {
  return JSON.stringify(items.map(({ insertText }) => insertText));
}
