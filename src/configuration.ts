// Where settings come from: reads VS Code's configuration once, and again whenever it changes.
// The parsing itself is settings.ts.
import * as vscode from 'vscode';
import { parseSettings, type Settings } from './settings';

export class Configuration implements vscode.Disposable {
  #settings = readSettings();
  readonly #changed = new vscode.EventEmitter<Settings>();
  readonly #listener = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('flashline') || event.affectsConfiguration('editor.inlineSuggest'))
      this.reload();
  });

  readonly onDidChange = this.#changed.event;

  get settings(): Settings {
    return this.#settings;
  }

  /** Also when the workspace becomes trusted: restricted settings count from then on. */
  reload(): void {
    this.#settings = readSettings();
    this.#changed.fire(this.#settings);
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
  }
}

function readSettings(): Settings {
  const configuration = vscode.workspace.getConfiguration();
  return parseSettings((name) => configuration.get<unknown>(name));
}
