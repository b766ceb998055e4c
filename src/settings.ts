// The person's settings, parsed once at the edge into one readonly value. A value of the wrong form or out of its
// range counts as not set. Knows no vscode: configuration.ts brings the values and listens to changes.
import type { ServerSettings } from '../server/protocol';
import { choice, flag, SERVER_SETTINGS, settingValues } from '../server/rules/settings';
import { globPattern } from './globPattern';

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

type Read = (name: string) => unknown;

/** `read` gives a setting by its full name, such as "flashline.enable". */
export function parseSettings(read: Read): Settings {
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
