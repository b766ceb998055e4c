// Settings of any editor: every parsed value must be one that the product accepts.
import assert from 'node:assert/strict';
import { DEFAULT_SETTINGS, loadsAtStart, parseSettings } from '../../../../server/hosting/settings';
import { SERVER_SETTINGS, type Setting } from '../../../../server/rules/serverSettings';
import { fuzzKind } from '../kind';
import { mixed, oddValue, spoilt, type Json } from '../oddValues';

interface Settings {
  readonly [name: string]: Setting<unknown> | Settings;
}

const SENT = {
  ...DEFAULT_SETTINGS,
  remoteKey: 'key',
  enable: { '*': true, markdown: false },
} as unknown as Json;

export const editorSettings = fuzzKind({
  name: 'settings',
  inputs: mixed([9, spoilt(SENT, 5)], [1, oddValue]),
  runs: 250,
  open: () => ({
    attempt: (given) => {
      const settings = parseSettings(given);
      assertAccepted(SERVER_SETTINGS, settings as unknown as Record<string, unknown>);
      const { remoteKey, enable = {} } = settings;
      assert.ok(remoteKey === undefined || typeof remoteKey === 'string');
      for (const value of Object.values(enable)) assert.equal(typeof value, 'boolean');
      assert.equal(typeof loadsAtStart(settings), 'boolean');
    },
    checkValid: () => {
      const { remoteKey, enable, ...settings } = parseSettings(SENT);
      assert.deepEqual(settings, DEFAULT_SETTINGS);
      assert.deepEqual({ remoteKey, enable }, { remoteKey: 'key', enable: { '*': true, markdown: false } });
    },
  }),
});

function assertAccepted(settings: Settings, values: Readonly<Record<string, unknown>>): void {
  for (const [name, setting] of Object.entries(settings))
    if (typeof setting.accepts === 'function') assert.ok(setting.accepts(values[name]), name);
    else assertAccepted(setting as Settings, values[name] as Record<string, unknown>);
}
