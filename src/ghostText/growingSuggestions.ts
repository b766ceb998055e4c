// Ghost text that grows: what is known first is shown at once, and the whole takes its place. VS Code takes one answer
// for each request, so that it is made to ask again once there is more. Knows neither settings nor files.
import * as vscode from 'vscode';
import type { InlineCompletionItem, Position, Range } from 'vscode-languageclient/node';
import type { Acceptance } from './acceptance';

export type Items = readonly InlineCompletionItem[] | null;

/** InlineCompletionParams, as far as they are sent. */
export interface AskParams {
  readonly textDocument: { readonly uri: string };
  readonly position: Position;
  readonly context: object;
}

/** Sends a request, and tells what comes before its answer. */
export type AskItems = (
  params: AskParams,
  onPart: (items: Items) => void,
  token: vscode.CancellationToken,
) => Promise<Items>;

/** A place in a document at one version, and what is selected in the IntelliSense list there. */
interface Place {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly position: vscode.Position;
  readonly selected: vscode.SelectedCompletionInfo | undefined;
}

/**
 * VS Code cancels a request when its list opens or another entry is selected, and asks again 50 ms later. The server may
 * be writing what begins with that entry.
 */
const ASKS_AGAIN_MS = 120;

export class GrowingSuggestions {
  #asking: vscode.CancellationTokenSource | undefined;
  /** The answer to a request that was shown in part. */
  #whole: (Place & { readonly items: vscode.InlineCompletionItem[] }) | undefined;
  /** VS Code was made to ask again, and has not yet. */
  #isAsked = false;

  constructor(
    private readonly ask: AskItems,
    private readonly acceptance: Pick<Acceptance, 'isOffered'>,
    private readonly log: Pick<vscode.LogOutputChannel, 'error'>,
  ) {}

  /** What is known first; when there is more, VS Code is made to ask again. Never rejects. */
  async items(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    const { triggerKind, selectedCompletionInfo: selected } = context;
    const place = { document, position, version: document.version, selected };
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
    let shown: readonly string[] | undefined;
    try {
      return await new Promise<vscode.InlineCompletionItem[]>((resolve, reject) => {
        const show = (items: Items): void => {
          shown = items?.map(textOf) ?? [];
          resolve((items ?? []).map(itemOf));
        };
        const onPart = (items: Items): void => {
          if (shown === undefined) show(items);
        };
        this.ask(paramsOf(place, triggerKind), onPart, asking.token)
          .then((items) => {
            if (shown === undefined) show(items);
            else if (items && this.#asking === asking && String(items.map(textOf)) !== String(shown))
              this.#grow({ ...place, triggerKind }, items, asking.token);
          })
          .catch(reject)
          .finally(() => asking.dispose());
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
    { triggerKind, ...place }: Place & Pick<vscode.InlineCompletionContext, 'triggerKind'>,
    items: NonNullable<Items>,
    token: vscode.CancellationToken,
  ): void {
    const { document, position, version } = place;
    const editor = vscode.window.activeTextEditor;
    const isThere = editor?.document === document && editor.selection.active.isEqual(position);
    if (token.isCancellationRequested || !isThere || document.version !== version) return;
    if (!this.acceptance.isOffered(document, position)) return;
    this.#whole = { ...place, items: items.map(itemOf) };
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

function paramsOf(
  { document, position, selected }: Place,
  triggerKind: vscode.InlineCompletionTriggerKind,
): AskParams {
  const { range, text } = selected ?? {};
  return {
    textDocument: { uri: document.uri.toString() },
    position: plain(position),
    context: {
      // The protocol counts from 1.
      triggerKind: triggerKind + 1,
      ...(range && {
        selectedCompletionInfo: { range: { start: plain(range.start), end: plain(range.end) }, text },
      }),
    },
  };
}

/** JSON turns a range of VS Code into an array. */
function plain({ line, character }: vscode.Position): Position {
  return { line, character };
}

function textOf({ insertText }: InlineCompletionItem): string {
  return typeof insertText === 'string' ? insertText : insertText.value;
}

function itemOf(item: InlineCompletionItem): vscode.InlineCompletionItem {
  return new vscode.InlineCompletionItem(textOf(item), item.range && rangeOf(item.range));
}

function rangeOf({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
