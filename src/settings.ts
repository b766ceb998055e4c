// The person's settings, parsed once at the edge into one readonly value. A value of the wrong form or out of its
// range counts as not set. Knows no vscode: configuration.ts brings the values and listens to changes.
import type { SamplingSettings, ServerSettings } from '../server/protocol';
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

/** Ranges and defaults; the manifest declares the same, which a test compares. */
export const RANGES = {
  maxSuggestionTokens: { minimum: 1, maximum: 1024, default: 64 },
  maxGenerateTokens: { minimum: 1, maximum: 32_768, default: 512 },
  debounceMs: { minimum: 0, maximum: 5000, default: 40 },
  draftLength: { minimum: 0, maximum: 255, default: 'adaptive' },
  cacheMemoryMB: { minimum: 0, maximum: 65_536, default: 256 },
  unloadAfterMinutes: { minimum: 0, maximum: 1440, default: 15 },
  'alternatives.temperature': { minimum: 0, maximum: 2, default: 0.8 },
  'generate.temperature': { minimum: 0, maximum: 2, default: 0 },
  'generate.topK': { minimum: 0, maximum: 1000, default: 0 },
  'generate.topP': { minimum: 0.01, maximum: 1, default: 1 },
  'generate.minP': { minimum: 0, maximum: 1, default: 0 },
  'generate.repetitionPenalty': { minimum: 0.1, maximum: 10, default: 1 },
  'generate.presencePenalty': { minimum: -2, maximum: 2, default: 0 },
  'generate.frequencyPenalty': { minimum: -2, maximum: 2, default: 0 },
  'generate.penaltyWindow': { minimum: 0, maximum: 4096, default: 20 },
  'generate.seed': { minimum: 0, maximum: 2 ** 32 - 1, default: null },
} as const;

type Read = (name: string) => unknown;
type NumberName = Exclude<keyof typeof RANGES, 'draftLength' | 'generate.seed'>;

/** `read` gives a setting by its full name, such as "flashline.enable". */
export function parseSettings(read: Read): Settings {
  const text = (name: string): string => {
    const value = read(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const count = (name: NumberName): number => countOf(read, name);
  return {
    enable: languages(read('flashline.enable')),
    trigger: choice(read('flashline.trigger'), ['automatic', 'manual']),
    exclude: strings(read('flashline.exclude')).map(globPattern),
    inlineSuggest: read('editor.inlineSuggest.enabled') !== false,
    shareServer: read('flashline.shareServer') !== false,
    server: {
      target: text('flashline.target'),
      drafter: text('flashline.drafter'),
      device: choice(read('flashline.device'), ['auto', 'cpu', 'gpu']),
      draftLength:
        read('flashline.draftLength') === 'full'
          ? 'full'
          : (wholeNumber(read('flashline.draftLength'), RANGES.draftLength) ?? RANGES.draftLength.default),
      maxSuggestionTokens: count('maxSuggestionTokens'),
      maxGenerateTokens: count('maxGenerateTokens'),
      multiline: choice(read('flashline.multiline'), ['auto', 'never', 'always']),
      debounceMs: count('debounceMs'),
      useOpenFiles: read('flashline.useOpenFiles') !== false,
      prefetch: choice(read('flashline.prefetch'), ['pluggedIn', 'always', 'never']),
      cacheMemoryMB: count('cacheMemoryMB'),
      load: choice(read('flashline.load'), ['firstUse', 'start']),
      unloadAfterMinutes: numberOf(read, 'unloadAfterMinutes'),
      hub: {
        endpoint: text('flashline.hub.endpoint'),
        proxy: text('flashline.hub.proxy') || text('http.proxy'),
      },
      generate: sampling(read),
      alternatives: { temperature: numberOf(read, 'alternatives.temperature') },
    },
  };
}

function sampling(read: Read): SamplingSettings {
  const number = (name: NumberName): number => numberOf(read, name);
  return {
    temperature: number('generate.temperature'),
    topK: countOf(read, 'generate.topK'),
    topP: number('generate.topP'),
    minP: number('generate.minP'),
    repetitionPenalty: number('generate.repetitionPenalty'),
    presencePenalty: number('generate.presencePenalty'),
    frequencyPenalty: number('generate.frequencyPenalty'),
    penaltyWindow: countOf(read, 'generate.penaltyWindow'),
    seed: wholeNumber(read('flashline.generate.seed'), RANGES['generate.seed']) ?? null,
    acceptance: choice(read('flashline.generate.acceptance'), ['match', 'rejection']),
    repetitionGuard: read('flashline.generate.repetitionGuard') === true,
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

/** The first choice is the default. */
function choice<T extends string>(value: unknown, choices: readonly [T, ...T[]]): T {
  return choices.find((each) => each === value) ?? choices[0];
}

function countOf(read: Read, name: NumberName): number {
  return wholeNumber(read(`flashline.${name}`), RANGES[name]) ?? RANGES[name].default;
}

function numberOf(read: Read, name: NumberName): number {
  return within(read(`flashline.${name}`), RANGES[name]) ?? RANGES[name].default;
}

function wholeNumber(value: unknown, range: Range): number | undefined {
  return Number.isInteger(value) ? within(value, range) : undefined;
}

function within(value: unknown, { minimum, maximum }: Range): number | undefined {
  return typeof value === 'number' && value >= minimum && value <= maximum ? value : undefined;
}

interface Range {
  readonly minimum: number;
  readonly maximum: number;
}
