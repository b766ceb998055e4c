// The configuration: the person's settings, read from VS Code once, and again whenever they change, into one readonly
// value. A value of the wrong form or out of its range counts as not set.
import * as vscode from 'vscode';
import type { ServerSettings } from '../server/protocol';
import { choice, flag, SERVER_SETTINGS, settingValues } from '../server/rules/serverSettings';

const READ = ['flashline', 'editor.inlineSuggest', 'http.proxy'];

export interface Settings {
  /** By language id; "*" stands for all others. */
  readonly enable: Readonly<Record<string, boolean>>;
  readonly trigger: 'automatic' | 'manual';
  /** Files in which nothing is suggested and which no prompt quotes. */
  readonly exclude: readonly RegExp[];
  /** `editor.inlineSuggest.enabled`, without which VS Code shows no ghost text at all. */
  readonly inlineSuggest: boolean;
  /** Whether all windows use one server. */
  readonly shareServer: boolean;
  readonly server: ServerSettings;
}

/** Those that the server need not know; `enable` and `exclude` have forms of their own. */
export const EDITOR_SETTINGS = { trigger: choice('automatic', 'manual'), shareServer: flag(true) };

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

/** `read` gives a setting by its full name, such as "flashline.enable". */
export function parseSettings(read: (name: string) => unknown): Settings {
  const ours = (name: string): unknown => trimmed(read(`flashline.${name}`));
  const server = settingValues(SERVER_SETTINGS, ours);
  const { endpoint, proxy } = server.hub;
  const usualProxy = trimmed(read('http.proxy'));
  return {
    ...settingValues(EDITOR_SETTINGS, ours),
    enable: languages(ours('enable')),
    exclude: strings(ours('exclude')).map(globPattern),
    inlineSuggest: read('editor.inlineSuggest.enabled') !== false,
    server: {
      ...server,
      hub: { endpoint, proxy: proxy || (typeof usualProxy === 'string' ? usualProxy : '') },
    },
  };
}

export function isEnabledFor({ enable }: Settings, languageId: string): boolean {
  return own(enable, languageId) ?? isEnabled({ enable });
}

export function isEnabled({ enable }: Pick<Settings, 'enable'>): boolean {
  return own(enable, '*') ?? true;
}

function own(map: Readonly<Record<string, boolean>>, key: string): boolean | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function languages(value: unknown): Record<string, boolean> {
  if (typeof value === 'boolean') return { '*': value };
  if (typeof value !== 'object' || value === null) return {};
  const entries: [string, unknown][] = Object.entries(value);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
  );
}

function strings(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((each): each is string => typeof each === 'string' && each.trim() !== '');
}

function trimmed(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}

/**
 * A file pattern as one anchored regular expression over "/"-separated paths. Knows *, **, ? and {a,b}; every pattern
 * matches in any folder, and all that lies below a match.
 */
export function globPattern(glob: string): RegExp {
  return new RegExp(`^(?:.*/)?${translated(glob.replace(/^\/|\/$/g, ''))}(?:/.*)?$`, 'i');
}

function translated(glob: string): string {
  let depth = 0;
  // The longest alternatives first: "**/" may also stand for no folder at all.
  const pattern = glob.replace(/(?:\*\*\/)+|\*+|[?{},]|[.+^$()|[\]\\]/g, (part) => {
    if (part.startsWith('**/')) return '(?:.*/)?';
    if (part === '**') return '.*';
    if (part.startsWith('*')) return '[^/]*';
    if (part === '?') return '[^/]';
    if (part === '{') {
      depth += 1;
      return '(?:';
    }
    if (part === '}') {
      if (depth === 0) return '\\}';
      depth -= 1;
      return ')';
    }
    if (part === ',') return depth > 0 ? '|' : ',';
    return `\\${part}`;
  });
  // An open brace that nothing closes.
  return `${pattern}${')'.repeat(depth)}`;
}
