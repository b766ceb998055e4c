// Where settings come from: reads VS Code's configuration once, and again whenever it changes.
// The parsing itself is settings.ts.
import * as vscode from 'vscode';
import { parseSettings, type Settings } from './settings';

const READ = ['flashline', 'editor.inlineSuggest', 'http.proxy'];

export class Configuration implements vscode.Disposable {
  #settings = readSettings();
  readonly #changed = new vscode.EventEmitter<Settings>();
  readonly #listener = vscode.workspace.onDidChangeConfiguration((event) => {
    if (!READ.some((section) => event.affectsConfiguration(section))) return;
    if (this.#held) this.#isMissed = true;
    else this.reload();
  });
  #held = false;
  #isMissed = false;

  readonly onDidChange = this.#changed.event;

  get settings(): Settings {
    return this.#settings;
  }

  /** Also when the workspace becomes trusted: restricted settings count from then on. */
  reload(): void {
    this.#settings = readSettings();
    this.#changed.fire(this.#settings);
  }

  /** Several settings that `write` changes are read as one change. */
  async atOnce(write: () => Promise<void>): Promise<void> {
    this.#held = true;
    try {
      await write();
    } finally {
      this.#held = false;
      if (this.#isMissed) this.reload();
      this.#isMissed = false;
    }
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
