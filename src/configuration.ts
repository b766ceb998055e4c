// Where settings come from: reads VS Code's configuration once, and again whenever it changes, and switches Flashline on
// and off in it. The parsing itself is settings.ts.
import * as vscode from 'vscode';
import { isEnabled, isEnabledFor, parseSettings, type Settings } from './settings';

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

  /** Switches Flashline on or off for a language, or everywhere. */
  async toggle(languageId?: string): Promise<void> {
    const key = languageId ?? '*';
    const isOn =
      languageId === undefined ? isEnabled(this.#settings) : isEnabledFor(this.#settings, languageId);
    const configuration = vscode.workspace.getConfiguration('flashline');
    const { globalValue, workspaceValue } = configuration.inspect<Record<string, boolean>>('enable') ?? {};
    // Written where the value in force comes from, so that the switch has an effect.
    const inWorkspace = typeof workspaceValue === 'object' && key in workspaceValue;
    const own = inWorkspace ? workspaceValue : globalValue;
    await configuration.update(
      'enable',
      { ...(typeof own === 'object' ? own : {}), [key]: !isOn },
      inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global,
    );
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
