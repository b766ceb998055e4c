// Grows ghost text: shows the first partial result immediately and replaces it with the complete one. VS Code accepts
// one result per request, so it is triggered to request again once there is more. Results that arrive after VS Code has
// stopped waiting are shown in the same way. Knows neither settings nor files.
import * as vscode from 'vscode';
import type { FlashlineClient } from '../connection/client';
import type { Acceptance } from './acceptance';
import { CANCEL_DELAY_MS, EditorRequest } from './editorRequest';
import { RepeatTrigger } from './repeatTrigger';

export class GrowingSuggestions {
  #latest: EditorRequest | undefined;
  /** Makes VS Code repeat the latest request. */
  readonly #repeat = new RepeatTrigger();
  /** Number of requests that the server is processing. */
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
    return this.#repeat.isAwaited ? this.#latest : undefined;
  }

  /** Returns whether the user asks for suggestions. VS Code reports requests that were triggered here as the user's too. */
  isExplicit(document: vscode.TextDocument, { triggerKind }: vscode.InlineCompletionContext): boolean {
    if (triggerKind !== vscode.InlineCompletionTriggerKind.Invoke) return false;
    const triggered = this.#repeat.isRunning ? this.#latest : undefined;
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
    const isRepeated = this.#repeat.onRequest();
    if (!latest?.more || !latest.isSame(request)) return await this.#request(request, token);
    const isFirst = isRepeated && !latest.hasGivenItems;
    if (isFirst || this.acceptance.isOffered(document, position)) return latest.give(latest.more);
    // In a repeated request, the user has dismissed the suggestion in the meantime.
    return isRepeated ? [] : await this.#request(request, token);
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
    request.followCancellation(token);
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
    if (!isLatest || !request.isCurrent) return;
    const { document, position, selected, hasGivenItems } = request;
    if (hasGivenItems && !this.acceptance.isOffered(document, position)) return;
    request.more = items;
    // VS Code keeps no suggestion beside a selected entry of its list.
    if (!this.#repeat.isAwaited) this.#repeat.trigger(hasGivenItems && selected === undefined);
  }
}
