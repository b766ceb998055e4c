// Puts the gate's question for a cursor in a real editor: gathers what gate.ts decides on.
// Kept small, as it runs at every keystroke.
import * as vscode from 'vscode';
import type { Configuration } from './configuration';
import { documentFacts } from './documentFacts';
import { documentGate, gate, type GateInput, type GateReason } from './gate';
import { isEnabled } from './settings';
import type { Snooze } from './snooze';

export class EditorGate {
  constructor(
    private readonly configuration: Configuration,
    private readonly snooze: Snooze,
  ) {}

  /** For ghost text. */
  suggestion(
    document: vscode.TextDocument,
    position: vscode.Position,
    explicit: boolean,
  ): GateReason | undefined {
    const active = vscode.window.activeTextEditor;
    return gate({
      ...this.#facts(document, position),
      cursors: active?.document === document ? active.selections.length : 1,
      snoozed: this.snooze.active,
      explicit,
    });
  }

  /** For the generate command. */
  generation({ document, selection }: vscode.TextEditor): GateReason | undefined {
    return documentGate(this.#facts(document, selection.active));
  }

  /** For the status bar: as if a suggestion were asked for in the active editor. */
  activeEditor(): GateReason | undefined {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      if (!isEnabled(this.configuration.settings)) return 'disabled';
      return this.snooze.active ? 'snoozed' : undefined;
    }
    const reason = this.suggestion(editor.document, editor.selection.active, true);
    // A cursor comes and goes, and an output is no place where suggestions are missed.
    return reason === 'multiCursor' || reason === 'input' ? undefined : reason;
  }

  #facts(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Omit<GateInput, 'cursors' | 'snoozed' | 'explicit'> {
    return {
      settings: this.configuration.settings,
      document: documentFacts(document),
      line: position.line,
      trusted: vscode.workspace.isTrusted,
      writable: vscode.workspace.fs.isWritableFileSystem(document.uri.scheme) !== false,
    };
  }
}
