// Decides when to request the next edit: after typing, after an accepted suggestion, and when the cursor moves to
// another line soon after an edit. Ghost text has priority.
import * as vscode from 'vscode';
import type { EditorGate } from '../gate/gate';

/** Trigger of a request; `invoked` is the command. */
export type Trigger = 'typed' | 'moved' | 'accepted' | 'invoked';

export interface GhostText {
  /** Whether the server is computing ghost text. */
  readonly isRequesting: () => boolean;
  /** Whether a suggestion of ghost text is still open at a position. */
  readonly isOffered: (document: vscode.TextDocument, position: vscode.Position) => boolean;
}

/** Time after an edit in which cursor moves lead to requests. */
const RECENT_MS = 10_000;
/**
 * Time after a selection without requests, except after an accepted suggestion; and time after a rejection without
 * requests for cursor moves.
 */
const QUIET_MS = 5000;
/**
 * Pause in typing before a request. It is longer than the time between most keys, because a key that comes while a
 * prompt is read waits for that pass: with 100 ms, ghost text took several times as long (docs/internals/results.md).
 */
const TYPING_PAUSE_MS = 500;
/** Time for which the cursor must stay at a line before a request. */
const MOVE_PAUSE_MS = 100;
/** Interval of checks whether ghost text is still computed or shown, and the limit after which a request is dropped. */
const GHOST_POLL_MS = 200;
const GHOST_LIMIT_MS = 2000;
/** Time limit of a save; one that takes longer has failed. */
const SAVE_MS = 3000;

export class Triggers implements vscode.Disposable {
  #timer: NodeJS.Timeout | undefined;
  /** Last change of the text in the active editor, except by a save. */
  #edited: { readonly document: vscode.TextDocument; readonly at: number } | undefined;
  /** Time until which cursor moves lead to no request. */
  #quietUntil = -Infinity;
  /** Time of the last selection over lines, or with several cursors. */
  #selectedAt = -Infinity;
  #savingSince = -Infinity;
  #savedAt = -Infinity;
  /** Version and cursor line of the active editor: a move without a new version is not caused by typing. */
  #version: number | undefined;
  #line: number | undefined;
  readonly #listeners: readonly vscode.Disposable[];

  constructor(
    private readonly gate: EditorGate,
    private readonly ghostText: GhostText,
    private readonly listener: {
      /** Called when a next edit is to be requested. */
      readonly onDue: (editor: vscode.TextEditor, trigger: Trigger) => void;
      /** Called while a request waits for ghost text, and with false once none waits. */
      readonly onWaiting: (isWaiting: boolean) => void;
    },
  ) {
    this.#listeners = [
      vscode.workspace.onWillSaveTextDocument(() => (this.#savingSince = performance.now())),
      vscode.workspace.onDidSaveTextDocument(() => {
        this.#savingSince = -Infinity;
        this.#savedAt = performance.now();
      }),
    ];
    this.opened();
  }

  dispose(): void {
    this.#cancel();
    for (const listener of this.#listeners) listener.dispose();
  }

  /** Called when another editor becomes active. */
  opened(): void {
    this.#cancel();
    const { document, selection } = vscode.window.activeTextEditor ?? {};
    this.#version = document?.version;
    this.#line = selection?.active.line;
  }

  /**
   * Called when the text in the active editor has changed. The server refuses requests after undo and large pastes. A
   * change by a save, such as formatting, requests nothing, but leaves the request after typing scheduled.
   */
  changed({ document }: vscode.TextDocumentChangeEvent): void {
    const isSaving = performance.now() - this.#savingSince < SAVE_MS;
    if (isSaving) return;
    this.#edited = { document, at: performance.now() };
    this.#schedule('typed', TYPING_PAUSE_MS);
  }

  /** Called when the selection has changed. */
  moved({ textEditor, selections }: vscode.TextEditorSelectionChangeEvent): void {
    if (textEditor !== vscode.window.activeTextEditor) return;
    const { document } = textEditor;
    const [selection] = selections;
    if (selections.length > 1 || selection?.isSingleLine === false) this.#selectedAt = performance.now();
    const { line } = selection?.active ?? {};
    const isMoved = document.version === this.#version && line !== this.#line;
    this.#version = document.version;
    this.#line = line;
    if (isMoved && this.#isRecent(document)) this.#schedule('moved', MOVE_PAUSE_MS);
  }

  accepted(): void {
    this.#schedule('accepted', 0);
  }

  rejected(): void {
    this.#cancel();
    this.#quietUntil = performance.now() + QUIET_MS;
  }

  #isRecent(document: vscode.TextDocument): boolean {
    const now = performance.now();
    const isEdited = this.#edited?.document === document && now - this.#edited.at < RECENT_MS;
    return isEdited && now >= this.#quietUntil;
  }

  #cancel(): void {
    clearTimeout(this.#timer);
  }

  #schedule(trigger: Trigger, delayMs: number, since = performance.now()): void {
    this.#cancel();
    this.#timer = setTimeout(() => {
      this.#due(trigger, since);
    }, delayMs);
  }

  #due(trigger: Trigger, since: number): void {
    const editor = vscode.window.activeTextEditor;
    const isDue = editor !== undefined && this.#isDue(editor, trigger);
    const isGhostTextFirst = isDue && trigger !== 'accepted' && this.#hasGhostText(editor);
    const isWaiting = isGhostTextFirst && performance.now() - since < GHOST_LIMIT_MS;
    this.listener.onWaiting(isWaiting);
    if (isWaiting) this.#schedule(trigger, GHOST_POLL_MS, since);
    else if (isDue && !isGhostTextFirst) this.listener.onDue(editor, trigger);
  }

  /** Returns whether a scheduled request is still of use. Forgets a last change that came from the file on disk. */
  #isDue(editor: vscode.TextEditor, trigger: Trigger): boolean {
    if (!this.isAllowed(editor) || !editor.selection.isEmpty) return false;
    if (trigger !== 'accepted' && performance.now() - this.#selectedAt < QUIET_MS) return false;
    if (this.#isFromDisk(editor.document)) this.#edited = undefined;
    return trigger !== 'typed' || this.#edited !== undefined;
  }

  /** Returns whether ghost text at the cursor is computed or shown. */
  #hasGhostText({ document, selection }: vscode.TextEditor): boolean {
    return this.ghostText.isRequesting() || this.ghostText.isOffered(document, selection.active);
  }

  /**
   * Returns whether the last change came from the file on disk: a change by the user leaves the document unsaved. VS
   * Code reports this a moment after the change, and never for notebook cells.
   */
  #isFromDisk({ isDirty, uri }: vscode.TextDocument): boolean {
    const isSaved = this.#edited !== undefined && this.#savedAt >= this.#edited.at;
    return !isDirty && !isSaved && uri.scheme !== 'vscode-notebook-cell';
  }

  /**
   * Returns whether next edits are allowed in an editor. A language that the built-in model does not know is allowed,
   * as the model of next edits can know it.
   */
  isAllowed({ document, selection, selections }: vscode.TextEditor): boolean {
    if (!vscode.window.state.focused || selections.length > 1) return false;
    const reason = this.gate.whyNoSuggestion(document, selection.active, true);
    return reason === undefined || reason === 'unknownLanguage';
  }
}
