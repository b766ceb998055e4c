// Ghost text that grows: what is known first is shown at once, and the whole takes its place. VS Code takes one answer
// for each request, so that it is made to ask again once there is more. Knows neither settings nor files.
import * as vscode from 'vscode';
import type { FlashlineClient } from '../connection/client';
import type { Acceptance } from './acceptance';

/** A place in a document at one version, and what is selected in the IntelliSense list there. */
interface Place {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly position: vscode.Position;
  readonly selected: vscode.SelectedCompletionInfo | undefined;
}

interface Whole extends Place {
  readonly items: vscode.InlineCompletionItem[];
}

/**
 * VS Code cancels a request when its list opens or another entry is selected, and asks again 50 ms later. The server may
 * be writing what begins with that entry.
 */
const ASKS_AGAIN_MS = 120;

export class GrowingSuggestions {
  #asking: vscode.CancellationTokenSource | undefined;
  /** The answer to a request that was shown in part. */
  #whole: Whole | undefined;
  /** VS Code was made to ask again, and has not yet. */
  #isAsked = false;
  /** Requests that the server works on. */
  #count = 0;

  constructor(
    private readonly client: Pick<FlashlineClient, 'suggestions'>,
    private readonly acceptance: Pick<Acceptance, 'isOffered'>,
    private readonly log: Pick<vscode.LogOutputChannel, 'error'>,
  ) {}

  get isAsking(): boolean {
    return this.#count > 0;
  }

  /** What is known first; when there is more, VS Code is made to ask again. Never rejects. */
  async items(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    const place = { document, position, version: document.version, selected: context.selectedCompletionInfo };
    const whole = this.#whole && isSame(this.#whole, place) ? this.#whole : undefined;
    const isAsked = this.#isAsked;
    this.#isAsked = false;
    if (whole && this.acceptance.isOffered(document, position)) return whole.items;
    this.#whole = undefined;
    // It was dismissed after VS Code was made to ask, and this is that question.
    if (whole && isAsked) return [];
    const before = this.#asking;
    const asking = (this.#asking = new vscode.CancellationTokenSource());
    // The server ends it, or goes on with it for the new request; a cancellation would overtake that.
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

  /** Shows the whole in place of the part, unless that is no longer on the screen. */
  #grow(
    whole: Whole,
    triggerKind: vscode.InlineCompletionTriggerKind,
    token: vscode.CancellationToken,
  ): void {
    const { document, position, version } = whole;
    const editor = vscode.window.activeTextEditor;
    const isThere = editor?.document === document && editor.selection.active.isEqual(position);
    if (token.isCancellationRequested || !isThere || document.version !== version) return;
    if (!this.acceptance.isOffered(document, position)) return;
    this.#whole = whole;
    this.#isAsked = true;
    // What was shown on demand is its answer to another demand, until it is hidden.
    if (triggerKind === vscode.InlineCompletionTriggerKind.Invoke)
      void vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    const triggered = vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
    // It ends once VS Code has asked, if it does.
    const ended = (): void => void (this.#isAsked = false);
    triggered.then(ended, ended);
  }
}

function isSame(a: Place, b: Place): boolean {
  const isHere = a.document === b.document && a.version === b.version && a.position.isEqual(b.position);
  return isHere && JSON.stringify(a.selected) === JSON.stringify(b.selected);
}

function textsOf(items: readonly vscode.InlineCompletionItem[]): string {
  return JSON.stringify(items.map(({ insertText }) => insertText));
}
