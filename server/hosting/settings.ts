// Parses the settings of the client. Invalid values are replaced by defaults, so that an old client or a hand-written
// configuration cannot stop the server.
import type { ClientSettings } from '../protocol/messages';
import { enabledLanguages, isEnabled } from '../rules/enabledLanguages';
import { choice, SERVER_SETTINGS, settingValues } from '../rules/serverSettings';
import { fieldsOf } from '../rules/json';

/** Schema of the settings. Clients that do not set `load` have the models loaded at the start. */
const SETTINGS = { ...SERVER_SETTINGS, load: choice('start', 'firstUse') };

export const DEFAULT_SETTINGS = parseSettings(undefined);

/** Parses the settings of a message; all defaults for undefined. */
export function parseSettings(value: unknown): ClientSettings {
  const { remoteKey, enable } = fieldsOf(value);
  const settings = settingValues(SETTINGS, (name) =>
    name.split('.').reduce<unknown>((fields, part) => fieldsOf(fields)[part], value),
  );
  const key = typeof remoteKey === 'string' && { remoteKey };
  return {
    ...settings,
    ...key,
    ...(enable !== undefined && { enable: enabledLanguages(enable) }),
  };
}

/** Returns whether the settings ask to load a model before the first request. */
export function loadsAtStart({ load, enable }: ClientSettings): boolean {
  return load === 'start' && isEnabled(enable);
}
