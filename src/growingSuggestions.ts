// Ghost text that grows: what is known first is shown at once, and the whole takes its place. VS Code takes one answer
// for each request, so that it is made to ask again once there is more. Knows neither settings nor files.
import * as vscode from 'vscode';
import type { InlineCompletionItem, Position, Range } from 'vscode-languageclient/node';
import type { Acceptance } from './acceptance';

type Items = readonly InlineCompletionItem[] | null;

/** Sends a request, and tells what comes before its answer. */
export type AskItems = (
  params: object,
  onPart: (items: Items) => void,
  token: vscode.CancellationToken,
) => Promise<Items>;

/** A place in a document at one version. */
interface Place {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly position: vscode.Position;
}

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
    const place = { document, position, version: document.version };
    const whole = this.#whole && isSame(this.#whole, place) ? this.#whole : undefined;
    const isAsked = this.#isAsked;
    this.#isAsked = false;
    if (whole && this.acceptance.isOffered(document, position)) return whole.items;
    this.#whole = undefined;
    // It was dismissed after VS Code was made to ask, and this is that question.
    if (whole && isAsked) return [];
    // The server goes on with it if the person has typed what it was writing.
    this.#asking?.cancel();
    const asking = (this.#asking = new vscode.CancellationTokenSource());
    const cancelled = token.onCancellationRequested(() => asking.cancel());
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
        this.ask(paramsOf(place, context), onPart, asking.token).then((items) => {
          if (shown === undefined) show(items);
          else if (items && String(items.map(textOf)) !== String(shown))
            this.#grow({ ...place, context }, items, asking.token);
        }, reject);
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
    { context, ...place }: Place & { readonly context: vscode.InlineCompletionContext },
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
    if (context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke)
      void vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    void vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
  }
}

function isSame(a: Place, b: Place): boolean {
  return a.document === b.document && a.version === b.version && a.position.isEqual(b.position);
}

function paramsOf({ document, position }: Place, context: vscode.InlineCompletionContext): object {
  const { triggerKind, selectedCompletionInfo } = context;
  const { range, text } = selectedCompletionInfo ?? {};
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
