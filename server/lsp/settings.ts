// The settings that the client sends, parsed at the edge. A value of the wrong form falls back to its default,
// so that an old client or a hand-written configuration cannot stop the server.
import type { ServerSettings } from '../protocol';
import { DEFAULT_SAMPLING, isRecord, parseSamplingSettings, parseTemperature } from './samplingSettings';

export const DEFAULT_SETTINGS: ServerSettings = {
  target: '',
  drafter: '',
  device: 'auto',
  draftLength: 'adaptive',
  maxSuggestionTokens: 64,
  maxGenerateTokens: 512,
  multiline: 'auto',
  debounceMs: 40,
  useOpenFiles: true,
  prefetch: 'pluggedIn',
  cacheMemoryMB: 256,
  load: 'start',
  unloadAfterMinutes: 15,
  hub: { endpoint: '', proxy: '' },
  generate: DEFAULT_SAMPLING,
  alternatives: { temperature: 0.8 },
};

export function parseSettings(value: unknown): ServerSettings {
  const given: Readonly<Record<string, unknown>> = isRecord(value) ? value : {};
  const text = (name: 'target' | 'drafter'): string => {
    const found = given[name];
    return typeof found === 'string' ? found : DEFAULT_SETTINGS[name];
  };
  const count = (
    name: 'maxSuggestionTokens' | 'maxGenerateTokens' | 'debounceMs' | 'cacheMemoryMB',
    min: number,
    max: number,
  ): number => wholeNumber(given[name], min, max) ?? DEFAULT_SETTINGS[name];
  const { draftLength, useOpenFiles } = given;
  return {
    target: text('target'),
    drafter: text('drafter'),
    device: oneOf(given['device'], ['auto', 'cpu', 'gpu'] as const) ?? DEFAULT_SETTINGS.device,
    draftLength:
      draftLength === 'full' || draftLength === 'adaptive'
        ? draftLength
        : (wholeNumber(draftLength, 0, 255) ?? DEFAULT_SETTINGS.draftLength),
    maxSuggestionTokens: count('maxSuggestionTokens', 1, 1024),
    maxGenerateTokens: count('maxGenerateTokens', 1, 32_768),
    multiline: oneOf(given['multiline'], ['auto', 'never', 'always'] as const) ?? DEFAULT_SETTINGS.multiline,
    debounceMs: count('debounceMs', 0, 5000),
    prefetch:
      oneOf(given['prefetch'], ['always', 'pluggedIn', 'never'] as const) ?? DEFAULT_SETTINGS.prefetch,
    cacheMemoryMB: count('cacheMemoryMB', 0, 65_536),
    load: oneOf(given['load'], ['firstUse', 'start'] as const) ?? DEFAULT_SETTINGS.load,
    unloadAfterMinutes: numberIn(given['unloadAfterMinutes'], 0, 1440) ?? DEFAULT_SETTINGS.unloadAfterMinutes,
    hub: parseHub(given['hub']),
    useOpenFiles: typeof useOpenFiles === 'boolean' ? useOpenFiles : DEFAULT_SETTINGS.useOpenFiles,
    generate: parseSamplingSettings(given['generate']),
    alternatives: {
      temperature: parseTemperature(given['alternatives']) ?? DEFAULT_SETTINGS.alternatives.temperature,
    },
  };
}

function parseHub(value: unknown): ServerSettings['hub'] {
  const { endpoint, proxy }: Readonly<Record<string, unknown>> = isRecord(value) ? value : {};
  const { hub } = DEFAULT_SETTINGS;
  return {
    endpoint: typeof endpoint === 'string' ? endpoint : hub.endpoint,
    proxy: typeof proxy === 'string' ? proxy : hub.proxy,
  };
}

function wholeNumber(value: unknown, min: number, max: number): number | undefined {
  return Number.isInteger(value) ? numberIn(value, min, max) : undefined;
}

function numberIn(value: unknown, min: number, max: number): number | undefined {
  return typeof value === 'number' && value >= min && value <= max ? value : undefined;
}

function oneOf<T extends string>(value: unknown, choices: readonly T[]): T | undefined {
  return choices.find((choice) => choice === value);
}
