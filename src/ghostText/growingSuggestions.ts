// Grows ghost text: shows the first partial result immediately and replaces it with the complete one. VS Code accepts
// one result per request, so it is triggered to request again once there is more. Results that arrive after VS Code has
// stopped waiting are shown in the same way. Knows neither settings nor files.
import * as vscode from 'vscode';
import type { FlashlineClient } from '../connection/client';
import type { Acceptance } from './acceptance';

/**
 * Delay of cancellations. VS Code cancels a request when its list opens or another entry is selected, and makes a new
 * one 50 ms later. The server can already be generating a text that begins with that entry.
 */
const CANCEL_DELAY_MS = 120;

/** A request from VS Code, for a position in one version of a document. */
class EditorRequest {
  /** Time of the request, in ms of performance.now(). */
  readonly at = performance.now();
  readonly version: number;
  /** Whether the user has asked for suggestions. */
  readonly isExplicit: boolean;
  /** Entry selected in the IntelliSense list. */
  readonly selected: vscode.SelectedCompletionInfo | undefined;
  /** The first result, for VS Code. */
  readonly answer: Promise<vscode.InlineCompletionItem[]>;
  /** Result for VS Code's next request, since it shows more than the answer. */
  more: vscode.InlineCompletionItem[] | undefined;
  /** Cancels the request to the server. */
  readonly cancellation = new vscode.CancellationTokenSource();
  #resolve!: (items: vscode.InlineCompletionItem[]) => void;
  /** Result that VS Code has received; undefined before the answer. */
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
  get hasShown(): boolean {
    return this.#received !== undefined && this.#received.length > 0;
  }

  /** Whether the cursor is still where it was at the request, in the same text. */
  get isThere(): boolean {
    const editor = vscode.window.activeTextEditor;
    const { document, version } = this;
    if (editor?.document !== document || document.version !== version) return false;
    return editor.selection.active.isEqual(this.position);
  }

  /** If VS Code cancels before the answer: answers with no items, and cancels what cannot be shown later. */
  cancelWith(token: vscode.CancellationToken): void {
    const onCancel = token.onCancellationRequested(() => {
      this.give([]);
      const delayMs = this.document.version === this.version ? CANCEL_DELAY_MS : 0;
      setTimeout(() => {
        // VS Code can have stopped waiting to open its list. If that stays closed, the result can still be shown.
        if (this.selected || !this.isThere) this.cancellation.cancel();
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
    return isOther && (isComplete || !this.hasShown);
  }

  /** Gives VS Code a result: as the answer, or when it has requested again. */
  give(items: vscode.InlineCompletionItem[]): vscode.InlineCompletionItem[] {
    this.#received = items;
    this.#resolve(items);
    return items;
  }
}

export class GrowingSuggestions {
  #latest: EditorRequest | undefined;
  /** Whether VS Code was triggered to repeat the latest request, and has not yet done so. */
  #isTriggered = false;
  /** Count of triggers that VS Code is still running. It can request for its list before it does so for the trigger. */
  #triggerCount = 0;
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

  /** Earlier request that the next one continues; undefined if the next one is new. */
  get continued(): EditorRequest | undefined {
    return this.#isTriggered ? this.#latest : undefined;
  }

  /** Returns whether the user asks for suggestions. VS Code reports requests that were triggered here as the user's too. */
  isExplicit(document: vscode.TextDocument, { triggerKind }: vscode.InlineCompletionContext): boolean {
    if (triggerKind !== vscode.InlineCompletionTriggerKind.Invoke) return false;
    const triggered = this.#triggerCount > 0 ? this.#latest : undefined;
    return triggered?.document !== document || triggered.isExplicit;
  }

  /**
   * Returns the first partial result, or no items once VS Code cancels. When there is more, triggers VS Code to request
   * again, and answers that request with it. Never rejects.
   */
  async items(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    const { Automatic, Invoke } = vscode.InlineCompletionTriggerKind;
    const triggerKind = this.isExplicit(document, context) ? Invoke : Automatic;
    const request = new EditorRequest(document, position, { ...context, triggerKind });
    const latest = this.#latest;
    const isTriggered = this.#isTriggered;
    this.#isTriggered = false;
    if (!latest?.more || !latest.isSame(request)) return await this.#request(request, token);
    const isFirst = isTriggered && !latest.hasShown;
    if (isFirst || this.acceptance.isOffered(document, position)) return latest.give(latest.more);
    latest.more = undefined;
    // This is the triggered request, but the user dismissed the suggestion in the meantime.
    return isTriggered ? [] : await this.#request(request, token);
  }

  /** Requests suggestions from the server, and returns the first result. Never rejects. */
  async #request(
    request: EditorRequest,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    // The server ends the old request, or continues it for the new one; an immediate cancellation would prevent that.
    const before = this.#latest;
    setTimeout(() => before?.cancellation.cancel(), CANCEL_DELAY_MS);
    this.#latest = request;
    request.cancelWith(token);
    const onPart = (items: vscode.InlineCompletionItem[]): void => {
      this.#take(request, items, false);
    };
    const onFailure = (error: unknown): vscode.InlineCompletionItem[] => {
      if (!request.cancellation.token.isCancellationRequested)
        this.log.error('Requesting suggestions failed.', error);
      return [];
    };
    this.#runningCount += 1;
    void this.client
      .suggestions(request, onPart, request.cancellation.token)
      .catch(onFailure)
      .then((items) => {
        this.#runningCount -= 1;
        this.#take(request, items, true);
        request.cancellation.dispose();
      });
    return await request.answer;
  }

  /** Answers VS Code with the first result of a request. Triggers VS Code for more, while that can be shown. */
  #take(request: EditorRequest, items: vscode.InlineCompletionItem[], isComplete: boolean): void {
    if (!request.isAnswered) {
      request.give(items);
      return;
    }
    if (!request.isMore(items, isComplete)) return;
    const isLatest = this.#latest === request && !request.cancellation.token.isCancellationRequested;
    if (!isLatest || !request.isThere) return;
    const { document, position, hasShown } = request;
    if (hasShown && !this.acceptance.isOffered(document, position)) return;
    request.more = items;
    if (!this.#isTriggered) this.#trigger(request);
  }

  /** Triggers VS Code to request again. */
  #trigger({ hasShown, selected }: EditorRequest): void {
    this.#isTriggered = true;
    this.#triggerCount += 1;
    // When triggered, VS Code keeps the visible suggestion, so hide it first. It keeps none beside a selected entry.
    if (hasShown && selected === undefined)
      void vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    const triggered = vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
    // By the end of the command, VS Code has requested again, or it will not.
    const onEnd = (): void => {
      this.#triggerCount -= 1;
      if (this.#triggerCount === 0) this.#isTriggered = false;
    };
    triggered.then(onEnd, onEnd);
  }
}

function textsOf(items: readonly vscode.InlineCompletionItem[]): string {
  return JSON.stringify(items.map(({ insertText }) => insertText));
}
