// The person's settings, parsed once at the edge into one readonly value. A value of the wrong form or out of its
// range counts as not set. Knows no vscode: configuration.ts brings the values and listens to changes.
import type { ServerSettings } from '../server/protocol';
import { globPattern } from './globPattern';

export interface Settings {
  /** By language id; "*" stands for all others. */
  readonly enable: Readonly<Record<string, boolean>>;
  readonly trigger: 'automatic' | 'manual';
  /** Files in which nothing is suggested and which no prompt quotes. */
  readonly exclude: readonly RegExp[];
  /** `editor.inlineSuggest.enabled`, without which VS Code shows no ghost text at all. */
  readonly inlineSuggest: boolean;
  readonly server: ServerSettings;
}

/** Ranges and defaults; the manifest declares the same, which a test compares. */
export const RANGES = {
  maxSuggestionTokens: { minimum: 1, maximum: 1024, default: 64 },
  maxGenerateTokens: { minimum: 1, maximum: 32_768, default: 512 },
  debounceMs: { minimum: 0, maximum: 5000, default: 40 },
  draftLength: { minimum: 0, maximum: 255, default: 'adaptive' },
  cacheMemoryMB: { minimum: 0, maximum: 65_536, default: 256 },
} as const;

/** `read` gives a setting by its full name, such as "flashline.enable". */
export function parseSettings(read: (name: string) => unknown): Settings {
  const text = (name: string): string => {
    const value = read(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const count = (
    name: 'maxSuggestionTokens' | 'maxGenerateTokens' | 'debounceMs' | 'cacheMemoryMB',
  ): number => wholeNumber(read(`flashline.${name}`), RANGES[name]) ?? RANGES[name].default;
  return {
    enable: languages(read('flashline.enable')),
    trigger: choice(read('flashline.trigger'), ['automatic', 'manual']),
    exclude: strings(read('flashline.exclude')).map(globPattern),
    inlineSuggest: read('editor.inlineSuggest.enabled') !== false,
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

/** The first choice is the default. */
function choice<T extends string>(value: unknown, choices: readonly [T, ...T[]]): T {
  return choices.find((each) => each === value) ?? choices[0];
}

function wholeNumber(value: unknown, range: { minimum: number; maximum: number }): number | undefined {
  const fits = typeof value === 'number' && Number.isInteger(value);
  return fits && value >= range.minimum && value <= range.maximum ? value : undefined;
}
