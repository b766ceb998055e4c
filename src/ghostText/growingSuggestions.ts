// Grows ghost text: shows the first partial result immediately and replaces it with the complete one. VS Code accepts
// one result per request, so it is triggered to request again once there is more. That also shows results for which VS
// Code has not waited. Knows neither settings nor files.
import * as vscode from 'vscode';
import type { FlashlineClient, InlineSuggestionRequest } from '../connection/client';
import type { Acceptance } from './acceptance';

/** A request of VS Code, for a position in one version of a document. */
interface Requested {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly position: vscode.Position;
  /** Entry selected in the IntelliSense list. */
  readonly selected: vscode.SelectedCompletionInfo | undefined;
  /** Whether the user has asked for suggestions. */
  readonly isExplicit: boolean;
  /** Time of the request, in ms of performance.now(). */
  readonly at: number;
}

interface Result extends Requested {
  readonly items: vscode.InlineCompletionItem[];
  /** Whether VS Code has shown a part of it. */
  readonly hasShownPart: boolean;
}

/**
 * Delay of cancellations. VS Code cancels a request when its list opens or another entry is selected, and makes a new
 * one 50 ms later. The server can already be generating a text that begins with that entry.
 */
const CANCEL_DELAY_MS = 120;

/** The results for one request: VS Code gets the first one. */
class Answer {
  readonly first: Promise<vscode.InlineCompletionItem[]>;
  #resolve!: (items: vscode.InlineCompletionItem[]) => void;
  /** Texts that VS Code has received or was triggered to request. */
  #texts: string | undefined;

  /** `onMore` receives later results that show more. */
  constructor(
    private readonly onMore: (items: vscode.InlineCompletionItem[], hasShownPart: boolean) => void,
  ) {
    this.first = new Promise((resolve) => (this.#resolve = resolve));
  }

  give(items: vscode.InlineCompletionItem[], isComplete: boolean): void {
    const texts = textsOf(items);
    if (this.#texts === undefined) {
      this.#texts = texts;
      this.#resolve(items);
      return;
    }
    const hasShownPart = this.#texts !== textsOf([]);
    if (items.length === 0 || texts === this.#texts || (hasShownPart && !isComplete)) return;
    this.#texts = texts;
    this.onMore(items, hasShownPart);
  }
}

export class GrowingSuggestions {
  #latestRequest: vscode.CancellationTokenSource | undefined;
  /** Result of the latest request, if VS Code has received only a part of it or nothing. */
  #more: Result | undefined;
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

  /** Earlier request that the next one continues; undefined if that is a new one. */
  get continued(): Requested | undefined {
    return this.#isTriggered ? this.#more : undefined;
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
    const requested: Requested = {
      document,
      position,
      version: document.version,
      selected: context.selectedCompletionInfo,
      isExplicit: context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke,
      at: performance.now(),
    };
    const more = this.#more && isSame(this.#more, requested) ? this.#more : undefined;
    const isTriggered = this.#isTriggered;
    this.#isTriggered = false;
    const isFirst = isTriggered && more?.hasShownPart === false;
    if (more && (isFirst || this.acceptance.isOffered(document, position))) return more.items;
    this.#more = undefined;
    // This is the triggered request, but the user dismissed the suggestion in the meantime.
    if (more && isTriggered) return [];
    return await this.#request(requested, context, token);
  }

  async #request(
    requested: Requested,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    const { document, position, version } = requested;
    const request = this.#newRequest();
    const answer = new Answer((items, hasShownPart) => {
      const isLatest = this.#latestRequest === request && !request.token.isCancellationRequested;
      if (isLatest && isThere(requested)) this.#grow({ ...requested, items, hasShownPart });
    });
    const cancellation = token.onCancellationRequested(() => {
      answer.give([], true);
      const delayMs = document.version === version ? CANCEL_DELAY_MS : 0;
      setTimeout(() => {
        // VS Code can have stopped waiting to open its list. If that stays closed, the result can still be shown.
        if (requested.selected || !isThere(requested)) request.cancel();
      }, delayMs);
    });
    void this.#collect({ document, position, context }, request, answer);
    const items = await answer.first;
    cancellation.dispose();
    return items;
  }

  /** Gives the results of a request to its answer. Never rejects. */
  async #collect(
    cursor: InlineSuggestionRequest,
    request: vscode.CancellationTokenSource,
    answer: Answer,
  ): Promise<void> {
    const onPart = (items: vscode.InlineCompletionItem[]): void => answer.give(items, false);
    this.#runningCount += 1;
    try {
      answer.give(await this.client.suggestions(cursor, onPart, request.token), true);
    } catch (error) {
      if (!request.token.isCancellationRequested) this.log.error('Requesting suggestions failed.', error);
      answer.give([], true);
    } finally {
      this.#runningCount -= 1;
      request.dispose();
    }
  }

  /** Makes the latest request and cancels the one before. */
  #newRequest(): vscode.CancellationTokenSource {
    const before = this.#latestRequest;
    // The server ends the old request, or continues it for the new one; an immediate cancellation would prevent that.
    setTimeout(() => before?.cancel(), CANCEL_DELAY_MS);
    return (this.#latestRequest = new vscode.CancellationTokenSource());
  }

  /** Shows a result in place of its part, unless the part is no longer visible. */
  #grow(result: Result): void {
    const { document, position, selected, hasShownPart } = result;
    // VS Code has yet to request the part, and will get all of it.
    if (this.#isTriggered) {
      this.#more = { ...result, hasShownPart: false };
      return;
    }
    if (hasShownPart && !this.acceptance.isOffered(document, position)) return;
    this.#more = result;
    this.#isTriggered = true;
    // When triggered, VS Code keeps the visible suggestion, so hide it first. It keeps none beside a selected entry.
    if (hasShownPart && selected === undefined)
      void vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    const triggered = vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
    // By the end of the command, VS Code has requested again, or it will not.
    const onEnd = (): void => void (this.#isTriggered = false);
    triggered.then(onEnd, onEnd);
  }
}

/** Returns whether the cursor is still where it was at a request, in the same text. */
function isThere({ document, version, position }: Requested): boolean {
  const editor = vscode.window.activeTextEditor;
  return (
    editor?.document === document && document.version === version && editor.selection.active.isEqual(position)
  );
}

function isSame(a: Requested, b: Requested): boolean {
  const isHere = a.document === b.document && a.version === b.version && a.position.isEqual(b.position);
  return isHere && JSON.stringify(a.selected) === JSON.stringify(b.selected);
}

function textsOf(items: readonly vscode.InlineCompletionItem[]): string {
  return JSON.stringify(items.map(({ insertText }) => insertText));
}
