// The user's settings, read from VS Code at the start and after each change, as one readonly value. A value of the
// wrong type or out of range counts as not set.
import * as vscode from 'vscode';
import { enabledLanguages, isEnabled, knowsLanguage } from '../server/rules/enabledLanguages';
import { fieldsOf } from '../server/rules/json';
import { choice, flag, SERVER_SETTINGS, settingValues } from '../server/rules/serverSettings';
import { globPattern } from './globPattern';

const EXCLUDE = 'flashline.exclude';
/** Sections of VS Code's settings that this module reads. */
const READ_SECTIONS = ['flashline', 'editor.inlineSuggest', 'http.proxy'];

export type Settings = Readonly<ReturnType<typeof parseSettings>>;

/** Target and drafter as the settings name them. */
export interface ModelPair {
  readonly target: string;
  readonly drafter: string;
}

/** Settings that the server does not need; `enable` and `exclude` are parsed separately. */
export const EDITOR_SETTINGS = {
  trigger: choice('automatic', 'manual'),
  addMissingImports: flag(true),
  /** Whether VS Code's chat and other extensions may use the chat models. */
  offerChatModels: flag(true),
  /** Whether all windows use one server. */
  shareServer: flag(true),
};

export class Configuration implements vscode.Disposable {
  #settings = readSettings();
  /** Whether we are writing several settings, which count as one change. */
  #isWriting = false;
  readonly #changed = new vscode.EventEmitter<Settings>();
  readonly #listener = vscode.workspace.onDidChangeConfiguration((event) => {
    if (!this.#isWriting && READ_SECTIONS.some((section) => event.affectsConfiguration(section)))
      this.reload();
  });

  readonly onDidChange = this.#changed.event;

  get settings(): Settings {
    return this.#settings;
  }

  /** Reads the settings again. Also called once the workspace is trusted: restricted settings apply from then on. */
  reload(): void {
    this.#settings = readSettings();
    this.#changed.fire(this.#settings);
  }

  /** Sets target and drafter as one change. */
  async setPair({ target, drafter }: ModelPair): Promise<void> {
    await this.#set({ target, drafter });
  }

  /** Sets the model of next edits and turns them on if they were off; '' selects the target and turns on nothing. */
  async setNextEditModel(model: string): Promise<void> {
    const { nextEdit } = this.#settings.server;
    await this.#set({
      nextEditModel: model,
      ...(model !== '' && nextEdit === 'off' && { nextEdit: 'hint' }),
    });
  }

  /** Sets the remote engine, and removes the tokenizer, which belonged to another model. */
  async setRemote(url: string, model: string): Promise<void> {
    await this.#set({ 'remote.tokenizer': '', 'remote.model': model, 'remote.url': url });
  }

  /** Changes several settings as one change, in the user's settings: workspaces must not name paths and addresses. */
  async #set(values: Readonly<Record<string, string>>): Promise<void> {
    const configuration = vscode.workspace.getConfiguration('flashline');
    this.#isWriting = true;
    try {
      for (const [name, value] of Object.entries(values))
        await configuration.update(name, value || undefined, vscode.ConfigurationTarget.Global);
    } finally {
      this.#isWriting = false;
      this.reload();
    }
  }

  /** Turns Flashline on or off for the language id `key`, or everywhere. */
  async toggle(key = '*'): Promise<void> {
    const configuration = vscode.workspace.getConfiguration('flashline');
    const { globalValue, workspaceValue } = configuration.inspect('enable') ?? {};
    const workspaceSwitches = enabledLanguages(workspaceValue);
    // The level of settings that the effective value comes from, so that the change takes effect. A boolean of the
    // workspace replaces all switches of the user.
    const isInWorkspace = typeof workspaceValue === 'boolean' || Object.hasOwn(workspaceSwitches, key);
    const switches = isInWorkspace ? workspaceSwitches : enabledLanguages(globalValue);
    await configuration.update(
      'enable',
      { ...switches, [key]: !suggestsIn(this.#settings, key) },
      isInWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global,
    );
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
  }
}

/** Returns whether the settings choose the built-in pair, rather than another pair or a remote engine. */
export function usesBuiltIn({ server: { target, remote } }: Settings): boolean {
  return target === '' && remote.url === '';
}

/**
 * Returns whether suggestions are on for a language. With the built-in pair, a language that it does not support is off
 * unless listed.
 */
export function suggestsIn(settings: Settings, languageId = '*'): boolean {
  const { enable } = settings;
  const isListed = languageId === '*' || Object.hasOwn(enable, languageId);
  if (!isListed && usesBuiltIn(settings) && !knowsLanguage(languageId)) return false;
  return isEnabled(enable, languageId);
}

/** Reads the settings in effect. */
export function readSettings(): Settings {
  const configuration = vscode.workspace.getConfiguration();
  const read = (name: string): unknown => configuration.get<unknown>(name);
  // A workspace's list would replace the user's. Both apply, so that no workspace exposes files that the user hides.
  const hidden = [read(EXCLUDE), configuration.inspect(EXCLUDE)?.globalValue];
  return parseSettings((name) => (name === EXCLUDE ? [...new Set(hidden.flatMap(strings))] : read(name)));
}

/** Parses the settings. `read` returns a setting by its full name, such as "flashline.enable". */
export function parseSettings(read: (name: string) => unknown) {
  const setting = (name: string): unknown => trimmed(read(`flashline.${name}`));
  const sampling = fieldsOf(setting('sampling'));
  const server = settingValues(SERVER_SETTINGS, (name) => {
    const field = samplingField(name);
    return field === undefined ? setting(name) : sampling[field];
  });
  const { endpoint, proxy } = server.hub;
  const editorProxy = trimmed(read('http.proxy'));
  return {
    ...settingValues(EDITOR_SETTINGS, setting),
    /** Switches by language id; "*" applies to all others. */
    enable: enabledLanguages(setting('enable')),
    /** Patterns of files that get no suggestions and that prompts do not quote. */
    exclude: strings(setting('exclude')).map(globPattern),
    /** Whether VS Code shows ghost text at all. */
    inlineSuggest: read('editor.inlineSuggest.enabled') !== false,
    server: {
      ...server,
      hub: { endpoint, proxy: proxy || (typeof editorProxy === 'string' ? editorProxy : '') },
    },
  };
}

function strings(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is string => typeof item === 'string' && item.trim() !== '');
}

function trimmed(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}

/** Returns the field of `flashline.sampling` that holds a setting of the server; undefined for other settings. */
function samplingField(name: string): string | undefined {
  return name === 'alternatives.temperature'
    ? 'alternativesTemperature'
    : /^generate\.(\w+)$/.exec(name)?.[1];
}
