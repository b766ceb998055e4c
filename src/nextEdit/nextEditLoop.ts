// The loop of next edits in a window: requests one, shows it, follows the user's changes to it, and requests the next.
import * as vscode from 'vscode';
import { isTabFree, visibleLineCount, withDisplay, type Shown } from './display';
import { drawingOf } from './drawing';
import { ghostEdit, ghostItem } from './ghostEdit';
import { Proposal } from './proposal';
import type { NextEditRequests } from './requests';
import { Triggers, type GhostText, type Trigger } from './triggers';
import { summaryOf, View } from './view';
import type { EditorGate } from '../gate/gate';

export interface LoopParts {
  readonly gate: EditorGate;
  readonly ghostText: GhostText;
  readonly requests: NextEditRequests;
  /** Whether small edits are drawn even if the cursor is not in their lines, as in the mode "inline". */
  readonly isInline: () => boolean;
  /** Called with a sentence for the status about the loop's activity. */
  readonly onState: (sentence: string) => void;
}

const IDLE = 'Waits for your next change.';
const WAITING = 'Waits until the ghost text is decided.';
/** Context key of the key binding for Tab. */
const TAB_CONTEXT = 'flashline.tabIsFree';
/** Shortest time between a request and the display of its edit, if typing or moving the cursor caused the request. */
const MIN_DELAY_MS = 200;
/** Display time after which the user has seen an edit. */
const SEEN_MS = 1000;

export class NextEditLoop implements vscode.Disposable {
  readonly #view = new View();
  readonly #triggers: Triggers;
  readonly #listeners: readonly vscode.Disposable[];
  /** Sentence last reported for the status. */
  #state = '';
  #request: vscode.CancellationTokenSource | undefined;
  #shown: Shown | undefined;
  /** Whether the loop is applying an accepted edit to the document. */
  #isApplying = false;
  /** Whether the IntelliSense list was open when VS Code last requested ghost text; the list then uses the Tab key. */
  #isListOpen = false;

  constructor(private readonly parts: LoopParts) {
    this.#triggers = new Triggers(parts.gate, parts.ghostText, {
      onDue: (editor, trigger) => {
        if (this.#shown === undefined) void this.#ask(editor, trigger);
      },
      onWaiting: (isWaiting) => {
        if (isWaiting && this.#shown === undefined) this.#report(WAITING);
        else if (!isWaiting && this.#state === WAITING) this.#report(IDLE);
      },
    });
    this.#listeners = [
      vscode.workspace.onDidChangeTextDocument((event) => {
        this.#changed(event);
      }),
      vscode.window.onDidChangeTextEditorSelection((event) => {
        this.#triggers.moved(event);
        if (event.textEditor === this.#shown?.editor) this.#draw(this.#shown);
      }),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
        const shown = this.#shown;
        if (textEditor !== shown?.editor) return;
        const { display } = withDisplay(shown, this.parts.isInline());
        if (display !== shown.display) this.#draw(shown);
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.#hide();
        this.#triggers.opened();
      }),
    ];
    this.#report(IDLE);
  }

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
    this.#triggers.dispose();
    this.#hide();
    this.#view.dispose();
  }

  /** Hides the edit where suggestions have been turned off or snoozed. */
  update(): void {
    if (this.#shown && !this.#triggers.isAllowed(this.#shown.editor)) this.#hide();
  }

  /** Requests a next edit when the user runs the command; returns whether there is one. */
  async request(): Promise<boolean> {
    const editor = vscode.window.activeTextEditor;
    return editor !== undefined && (await this.#ask(editor, 'invoked'));
  }

  /** Accepts the edit, or goes to it. With `key` "tab", indents instead where the user expects that. */
  async accept(key: unknown): Promise<void> {
    const shown = this.#shown;
    const isCurrent = shown !== undefined && shown.version === shown.editor.document.version;
    const isTab = key === 'tab';
    // VS Code's own binding takes Tab while ghost text is visible, so here it is hidden.
    const isIndent = isTab && (!isCurrent || shown.display === 'ghost' || !isTabFree(shown));
    if (isIndent) await vscode.commands.executeCommand('tab');
    else if (!isCurrent) return;
    else if (shown.display === 'ghost')
      await vscode.commands.executeCommand('editor.action.inlineSuggest.commit');
    else if (shown.display === 'hint') await this.#goTo(shown);
    else await this.#apply(shown);
  }

  /** Hides the edit. It is not shown again if it was visible long enough to be read. */
  dismiss(): void {
    if (this.#shown === undefined) return;
    const { proposal, since } = this.#shown;
    this.#hide();
    this.#triggers.rejected();
    if (performance.now() - since < SEEN_MS) return;
    this.parts.requests.rejected(proposal.id);
  }

  /** Returns the proposal as ghost text if VS Code requests some at its place. */
  ghostItem(
    document: vscode.TextDocument,
    position: vscode.Position,
    { selectedCompletionInfo }: vscode.InlineCompletionContext,
  ): vscode.InlineCompletionItem | undefined {
    const isListOpen = selectedCompletionInfo !== undefined;
    if (isListOpen !== this.#isListOpen) {
      this.#isListOpen = isListOpen;
      if (this.#shown) this.#draw(this.#shown);
    }
    const { display, editor, proposal, version } = this.#shown ?? {};
    const isHere = display === 'ghost' && editor?.document === document && version === document.version;
    if (!isHere || selectedCompletionInfo || proposal === undefined) return undefined;
    const edit = ghostEdit(proposal.edit, document, position);
    return edit && ghostItem(edit, document);
  }

  async #ask(editor: vscode.TextEditor, trigger: Trigger): Promise<boolean> {
    const { document, selection } = editor;
    const { version } = document;
    this.#hide();
    const request = (this.#request = new vscode.CancellationTokenSource());
    this.#report('Looks for the next edit.');
    const isQuick = trigger === 'accepted' || trigger === 'invoked';
    const minDelay = isQuick ? undefined : pause(MIN_DELAY_MS);
    const isInvoked = trigger === 'invoked';
    const edit = await this.parts.requests.edit(document, selection.active, isInvoked, request.token);
    if (edit) await minDelay;
    request.dispose();
    if (this.#request !== request) return false;
    this.#request = undefined;
    const isCurrent = document.version === version && vscode.window.activeTextEditor === editor;
    const proposal = edit && isCurrent ? Proposal.from(edit, document) : undefined;
    if (proposal === undefined) this.#report(IDLE);
    else this.#show(editor, proposal);
    return this.#shown !== undefined;
  }

  /** Hides the edit, and cancels a running request. */
  #hide(): void {
    this.#request?.cancel();
    this.#request?.dispose();
    this.#request = undefined;
    this.#report(IDLE);
    if (this.#shown === undefined) return;
    this.#shown = undefined;
    this.#view.hide();
  }

  /** Reports a sentence if it has changed, as the status is drawn again each time. */
  #report(sentence: string): void {
    if (sentence === this.#state) return;
    this.#state = sentence;
    this.parts.onState(sentence);
  }

  #changed(event: vscode.TextDocumentChangeEvent): void {
    if (this.#isApplying || event.document !== vscode.window.activeTextEditor?.document) return;
    const shown = this.#shown;
    if (event.contentChanges.length === 0) return;
    const proposal = shown?.proposal.after(event.contentChanges);
    if (shown && proposal && !proposal.isDone) {
      this.#show(shown.editor, proposal, shown);
      return;
    }
    // Does not cancel the request: if its answer contains the typed text, the server uses it for the next request.
    this.#request = undefined;
    this.#hide();
    if (proposal) this.#accepted(proposal);
    else this.#triggers.changed(event);
  }

  /** Shows a proposal. `before` is the same proposal before the last change of the document. */
  #show(editor: vscode.TextEditor, proposal: Proposal, before?: Shown): void {
    const drawing = drawingOf(editor.document, proposal.edit);
    if (drawing === undefined) {
      this.#hide();
      return;
    }
    if (before === undefined) this.parts.requests.shown(proposal.id);
    const { since = performance.now(), display, arrival } = before ?? {};
    this.#draw({ editor, proposal, drawing, version: editor.document.version, since, display, arrival });
  }

  /** Draws the proposal in the form that suits the cursor and the visible lines. */
  #draw(shown: Shown): void {
    const { editor, drawing, version } = shown;
    // While the edit is applied, its drawing is still that of the text before.
    if (version !== editor.document.version) return;
    const next = (this.#shown = withDisplay(shown, this.parts.isInline()));
    const { display } = next;
    const isFree = isTabFree(next);
    void vscode.commands.executeCommand('setContext', TAB_CONTEXT, isFree);
    const key = isFree && !this.#isListOpen ? 'Tab' : secondKey();
    const summary = summaryOf(drawing, editor.selection.active);
    this.#report(`${summary}. ${key} ${display === 'hint' ? 'goes there' : 'accepts it'}.`);
    if (display === 'ghost') {
      this.#view.leaveToGhostText();
      if (shown.display !== 'ghost')
        void vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
      return;
    }
    const isDrawn = display === 'here' || (this.parts.isInline() && drawing.isSmall);
    const hasHint = display === 'hint' || !drawing.isSmall;
    this.#view.show(editor, { drawing, isDrawn, hint: hasHint ? `${summary} · ${key}` : undefined });
  }

  async #goTo(shown: Shown): Promise<void> {
    const { editor, drawing } = shown;
    const { start, end } = drawing.range;
    const lineCount = end.line - start.line + 1;
    const isFolded = lineCount > 1 && visibleLineCount(editor, drawing.range) < lineCount;
    this.#shown = { ...shown, arrival: start };
    editor.selection = new vscode.Selection(start, start);
    const change = new vscode.Range(start, new vscode.Position(end.line, 0));
    editor.revealRange(change, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.#draw(this.#shown);
    // VS Code unfolds only the cursor's line by itself.
    const selectionLines = Array.from({ length: end.line - start.line }, (_, i) => start.line + i);
    if (isFolded) await vscode.commands.executeCommand('editor.unfold', { selectionLines });
    // Keeps the focus in the text, so that keys still work there.
    if (!drawing.isSmall)
      await vscode.commands.executeCommand('editor.action.showHover', { focus: 'noAutoFocus' });
  }

  async #apply({ editor, proposal }: Shown): Promise<void> {
    const { document } = editor;
    const { offset, old, text } = proposal.edit;
    const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + old.length));
    this.#isApplying = true;
    try {
      const isApplied = await editor.edit(
        (builder) => {
          builder.replace(range, text);
        },
        { undoStopBefore: true, undoStopAfter: true },
      );
      this.#hide();
      // The document changed at the same moment.
      if (!isApplied) return;
    } finally {
      this.#isApplying = false;
    }
    // After the last changed character, not below it.
    const end = document.positionAt(offset + text.replace(/[\r\n]+$/, '').length);
    editor.selection = new vscode.Selection(end, end);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.#accepted(proposal);
  }

  #accepted({ id }: Proposal): void {
    this.parts.requests.accepted(id);
    this.#triggers.accepted();
  }
}

/** Returns the key binding of package.json that accepts an edit even where Tab does not. */
function secondKey(): string {
  return process.platform === 'darwin' ? 'Cmd+Alt+Enter' : 'Ctrl+Alt+Enter';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
