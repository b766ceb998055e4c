// The loop of next edits in a window: asks, shows the answer, follows what the person does with it, and asks again.
import * as vscode from 'vscode';
import { drawingOf, type Drawing } from './drawing';
import { ghostEdit, ghostItem } from './ghostEdit';
import { Pace } from './pace';
import { Proposal } from './proposal';
import type { NextEditRequests } from './requests';
import { Triggers, type Trigger } from './triggers';
import { hintText, View } from './view';
import type { EditorGate } from '../ghostText/gate';
import type { GhostText } from './triggers';

/** ghost: by VS Code. here: drawn in place, and one key accepts. hint: one key goes there, the next accepts. */
type Display = 'ghost' | 'here' | 'hint';

interface Shown {
  readonly editor: vscode.TextEditor;
  readonly proposal: Proposal;
  readonly drawing: Drawing;
  /** Version of the document that the drawing is for. */
  readonly version: number;
  /** As of performance.now(). */
  readonly since: number;
  readonly display: Display | undefined;
  /** Where a key has brought the cursor. */
  readonly arrival: vscode.Position | undefined;
}

export interface LoopParts {
  readonly gate: Pick<EditorGate, 'suggestion'>;
  readonly ghostText: GhostText;
  readonly requests: NextEditRequests;
  readonly mode: () => 'hint' | 'inline';
  /** Called with a sentence for the status that says what the loop is doing. */
  readonly onState: (sentence: string) => void;
}

const IDLE = 'Waits for your next change.';
const TAB_KEY = 'flashline.tabIsFree';
/** Lines around the cursor in which a change is drawn in place. */
const NEAR_LINES = 2;
/** After a key, nothing appears sooner. */
const LEAST_MS = 200;
/** By then, a person has seen what they dismiss. */
const SEEN_MS = 1000;

export class NextEditLoop implements vscode.Disposable {
  readonly #view = new View();
  readonly #pace = new Pace();
  readonly #triggers: Triggers;
  readonly #listeners: readonly vscode.Disposable[];
  #state = '';
  #request: vscode.CancellationTokenSource | undefined;
  #shown: Shown | undefined;
  /** The change of the document that is being made is an acceptance. */
  #isApplying = false;
  /** Whether the IntelliSense list, which then has the Tab key, was open when VS Code last asked for ghost text. */
  #isListOpen = false;

  constructor(private readonly parts: LoopParts) {
    this.#triggers = new Triggers(parts.gate, parts.ghostText, this.#pace, {
      due: (editor, trigger) => {
        if (this.#shown === undefined) void this.#ask(editor, trigger);
      },
      waiting: (isForGhostText) => {
        this.#report(isForGhostText ? 'Waits until the ghost text is decided.' : IDLE);
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

  /** Asks as the person wants it; returns whether there is a next edit. */
  async request(): Promise<boolean> {
    const editor = vscode.window.activeTextEditor;
    return editor !== undefined && (await this.#ask(editor, 'invoked'));
  }

  /** With `key` "tab", does what Tab usually does where that is wanted. */
  async accept(key: unknown): Promise<void> {
    const shown = this.#shown;
    const isCurrent = shown?.editor.document.version === shown?.version;
    const isTab = key === 'tab';
    if (!shown || !isCurrent || (isTab && (shown.display === 'ghost' || !isTabFree(shown)))) {
      if (isTab) await vscode.commands.executeCommand('tab');
    } else if (shown.display === 'ghost')
      await vscode.commands.executeCommand('editor.action.inlineSuggest.commit');
    else if (shown.display === 'hint') await this.#goTo(shown);
    else await this.#apply(shown);
  }

  /** Hides what is shown; it does not come back if it was there long enough to be read. */
  dismiss(): void {
    if (this.#shown === undefined) return;
    const { proposal, since } = this.#shown;
    this.#hide();
    this.#triggers.rejected();
    if (performance.now() - since < SEEN_MS) return;
    this.#pace.rejected();
    this.parts.requests.rejected(proposal.id);
  }

  /** The proposal as ghost text, when VS Code asks for some at `position`. */
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
    const edit = ghostEdit(proposal, document, position);
    return edit && ghostItem(edit, document);
  }

  async #ask(editor: vscode.TextEditor, trigger: Trigger): Promise<boolean> {
    const { document, selection } = editor;
    const { version } = document;
    this.#hide();
    const request = (this.#request = new vscode.CancellationTokenSource());
    this.#report('Looks for the next edit.');
    const isQuick = trigger === 'accepted' || trigger === 'invoked';
    const least = isQuick ? undefined : pause(LEAST_MS);
    const isInvoked = trigger === 'invoked';
    const edits = await this.parts.requests.edits(document, selection.active, isInvoked, request.token);
    if (edits.length > 0) await least;
    if (this.#request !== request) return false;
    this.#supersede();
    const isCurrent = document.version === version && vscode.window.activeTextEditor === editor;
    const proposal = isCurrent ? Proposal.from(edits, document) : undefined;
    if (proposal === undefined) this.#report(IDLE);
    else this.#show(editor, proposal);
    return this.#shown !== undefined;
  }

  /** The request that runs, if any, has no effect any more. */
  #supersede(): void {
    this.#request?.cancel();
    this.#request?.dispose();
    this.#request = undefined;
  }

  #hide(): void {
    this.#supersede();
    this.#report(IDLE);
    if (this.#shown === undefined) return;
    this.#shown = undefined;
    this.#view.hide();
  }

  /** The status is drawn again only if it says something else. */
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
      this.#supersede();
      this.#show(shown.editor, proposal, shown);
      return;
    }
    this.#hide();
    if (proposal) this.#accepted(proposal);
    else this.#triggers.changed(event);
  }

  /** `before` is the same proposal before the last change of the document. */
  #show(editor: vscode.TextEditor, proposal: Proposal, before?: Shown): void {
    const drawing = drawingOf(editor.document, proposal.edits);
    if (drawing === undefined) {
      this.#hide();
      return;
    }
    if (before === undefined) this.parts.requests.shown(proposal.id);
    const { since = performance.now(), display, arrival } = before ?? {};
    this.#draw({ editor, proposal, drawing, version: editor.document.version, since, display, arrival });
  }

  /** As the cursor has it. */
  #draw(shown: Shown): void {
    const { editor, drawing } = shown;
    const cursor = editor.selection.active;
    const edit = ghostEdit(shown.proposal, editor.document, cursor);
    const distance = Math.max(drawing.start.line - cursor.line, cursor.line - drawing.lastLine, 0);
    const isInline = this.parts.mode() === 'inline';
    const isNear = drawing.isSmall && distance <= (isInline ? NEAR_LINES : 0);
    const isArrived = shown.arrival !== undefined && distance === 0;
    const display = edit ? 'ghost' : isNear || isArrived ? 'here' : 'hint';
    const next = (this.#shown = {
      ...shown,
      ...(edit && { proposal: shown.proposal.with(edit) }),
      ...(!isArrived && { arrival: undefined }),
      display,
    });
    const isFree = isTabFree(next);
    void vscode.commands.executeCommand('setContext', TAB_KEY, isFree);
    const key = isFree && !this.#isListOpen ? 'Tab' : secondKey();
    const hint = hintText(drawing, cursor.line, key);
    this.#report(`${hint.replace(/ · .*/, '')}. ${key} ${display === 'hint' ? 'goes there' : 'accepts it'}.`);
    if (display === 'ghost') {
      this.#view.leaveToGhostText();
      if (shown.display !== 'ghost')
        void vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
      return;
    }
    const isDrawn = display === 'here' || (isInline && drawing.isSmall);
    const hasHint = display === 'hint' || !drawing.isSmall;
    this.#view.show(editor, { drawing, isDrawn, hint: hasHint ? hint : undefined });
  }

  async #goTo(shown: Shown): Promise<void> {
    const { editor, drawing } = shown;
    const { start, lastLine } = drawing;
    this.#shown = { ...shown, arrival: start };
    editor.selection = new vscode.Selection(start, start);
    const change = new vscode.Range(start, new vscode.Position(lastLine, 0));
    editor.revealRange(change, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.#draw(this.#shown);
    // The focus stays in the text, and so do the keys.
    if (!drawing.isSmall)
      await vscode.commands.executeCommand('editor.action.showHover', { focus: 'noAutoFocus' });
  }

  async #apply({ editor, proposal }: Shown): Promise<void> {
    const { document } = editor;
    this.#isApplying = true;
    try {
      const isDone = await editor.edit(
        (builder) => {
          for (const { offset, old, text } of proposal.edits)
            builder.replace(rangeAt(document, offset, old.length), text);
        },
        { undoStopBefore: true, undoStopAfter: true },
      );
      this.#hide();
      // Something has changed the document at the same moment.
      if (!isDone) return;
    } finally {
      this.#isApplying = false;
    }
    const end = document.positionAt(endOf(proposal));
    editor.selection = new vscode.Selection(end, end);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.#accepted(proposal);
  }

  #accepted({ id }: Proposal): void {
    this.#pace.accepted();
    this.parts.requests.accepted(id);
    this.#triggers.accepted();
  }
}

/** Whether Tab would not indent: after the first character of a line, or where it has brought the cursor itself. */
function isTabFree({ editor, arrival }: Shown): boolean {
  const { active } = editor.selection;
  if (arrival?.isEqual(active)) return true;
  return active.character > editor.document.lineAt(active.line).firstNonWhitespaceCharacterIndex;
}

/** As package.json has it. */
function secondKey(): string {
  return process.platform === 'darwin' ? 'Cmd+Alt+Enter' : 'Ctrl+Alt+Enter';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function rangeAt(document: vscode.TextDocument, offset: number, length: number): vscode.Range {
  return new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
}

/** Offset after the last changed character, once all edits are made; never after a final line break. */
function endOf({ edits }: Proposal): number {
  let grown = 0;
  for (const { old, text } of edits) grown += text.length - old.length;
  const { offset, old, text } = edits.at(-1) ?? { offset: 0, old: '', text: '' };
  const last = offset + grown - (text.length - old.length);
  return last + text.replace(/[\r\n]+$/, '').length;
}
