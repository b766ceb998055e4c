// The settings that both the editor and the server use: names, accepted values and defaults. A test compares them with
// package.json.
import {
  isInRange,
  rangeText,
  SAMPLING_DEFAULTS,
  SAMPLING_RANGES,
  wholeNumbers,
  type NumberRange,
} from './numbers';

/** A setting. Values that it does not accept count as not set. */
export interface Setting<T> {
  readonly byDefault: T;
  /** Returns whether the setting accepts a value. */
  readonly accepts: (value: unknown) => value is T;
  /** Description of accepted values, for errors. */
  readonly expected: string;
}

/** A setting whose value can be a number. */
export interface RangeSetting<T> extends Setting<T> {
  readonly range: NumberRange;
}

export interface ChoiceSetting<T> extends Setting<T> {
  readonly choices: readonly T[];
}

/** The user's settings that the server needs. Clients send them as initializationOptions too. */
export const SERVER_SETTINGS = {
  /** Folder or name of the target; empty means the built-in pair. */
  target: text(),
  /**
   * Folder or name of the drafter. 'none' loads no drafter, so drafts are only looked up in the text. Empty means the
   * drafter of the pair that `target` names, if that is the built-in or a known pair, and otherwise none.
   */
  drafter: text(),
  /** Bits per weight of the drafter in memory. */
  drafterBits: choice('auto', 'stored', '4', '8', '16'),
  device: choice('auto', 'cpu', 'gpu'),
  /** Whether GPUs compute in float32 too, so that drafts hardly ever change the text. */
  strict: flag(false),
  /**
   * Maximum draft tokens per round: 0 decodes plainly, 'full' uses the drafter's whole block, and 'adaptive' the length
   * that measures fastest.
   */
  draftLength: numberOr(wholeNumbers(0, 255), ['adaptive', 'full'], ', adaptive or full'),
  /** Maximum length of a suggestion and of a generate request, in tokens. */
  maxSuggestionTokens: number(wholeNumbers(1, 1024), 64),
  maxGenerateTokens: number(wholeNumbers(1, 32_768), 512),
  /** Maximum length of a suggestion's prompt, in tokens; 'auto' follows the measured prefill speed. */
  maxPromptTokens: numberOr(wholeNumbers(128, 32_768), ['auto'], ', or auto'),
  /** 'auto' decides by the syntax around the cursor. */
  multiline: choice('auto', 'never', 'always'),
  /** Milliseconds of quiet before an automatic request reaches the engine. */
  debounceMs: number(wholeNumbers(0, 5000), 40),
  /** Percent: automatic suggestions less likely to be kept than this are not shown; 0 hides none. */
  hideBelow: number(wholeNumbers(0, 100), 50),
  /** Whether prompts quote other files: open and recently visited ones, recent edits and imported definitions. */
  useOpenFiles: flag(true),
  /** When an idle engine computes the suggestion after the one that is shown. */
  prefetch: choice('pluggedIn', 'always', 'never'),
  /** Whether automatic suggestions stop while the machine of the server runs on battery. */
  pauseOnBattery: flag(false),
  /** Megabytes for the prompt cache, so that only changes are read again; 0 keeps nothing. */
  cacheMemoryMB: numberOr(wholeNumbers(0, 65_536), ['auto'], ', or auto'),
  /** How suggestions of the next edit appear: never, as a hint at the cursor, or also in place. */
  nextEdit: choice('off', 'hint', 'inline'),
  /** Model of next edits; empty means the target, if that knows a format of them. */
  nextEditModel: text(),
  /** When models are loaded: at the first request or edit, or at the start. */
  load: choice('firstUse', 'start'),
  /** Minutes without a request after which the models are unloaded until the next request; 0 keeps them loaded. */
  unloadAfterMinutes: number({ min: 0, max: 1440 }, 15),
  /** Another server that completes instead of a pair in memory; with an empty address there is none. */
  remote: {
    url: text(),
    /** Name of the model on that server; empty means the only one. */
    model: text(),
    /** Folder, model or repository of its tokenizer; empty sends text and lets the server fill in the middle. */
    tokenizer: text(),
    /** Whether the pair of `target` is used while the server cannot be reached. */
    fallback: flag(false),
  },
  /** Mirror and proxy for downloads; empty means as set in the environment. */
  hub: { endpoint: text(), proxy: text() },
  /** Port of the server for other tools, which is off until a command starts it; 0 picks a free one. */
  serve: { port: number(wholeNumbers(0, 65_535), 8080) },
  /** Sampling of the generate command; a request can override it. In VS Code, fields of the setting `sampling`. */
  generate: {
    /** 0 takes the most probable token. */
    temperature: samplingNumber('temperature'),
    /** Number of most probable tokens to draw from; 0 draws from all. */
    topK: samplingNumber('topK'),
    /** Draws from the most probable tokens that together reach this probability; 1 draws from all. */
    topP: samplingNumber('topP'),
    /** Draws from tokens at least this fraction as probable as the most probable one; 0 draws from all. */
    minP: samplingNumber('minP'),
    /** Penalties for repeated tokens: the first has no effect at 1, the other two at 0. */
    repetitionPenalty: samplingNumber('repetitionPenalty'),
    presencePenalty: samplingNumber('presencePenalty'),
    frequencyPenalty: samplingNumber('frequencyPenalty'),
    /** Number of last tokens that the penalties consider, including those of the prompt. */
    penaltyWindow: samplingNumber('penaltyWindow'),
    /** The same seed gives the same text; null picks a new one each time. */
    seed: numberOr(SAMPLING_RANGES.seed.sensible, [null], ', or null'),
    /** How drafts are accepted where tokens are drawn. */
    acceptance: choice('match', 'rejection'),
    /** Whether an output ends once it keeps repeating itself. */
    repetitionGuard: flag(true),
  },
  /**
   * Alternatives to the most probable text when a suggestion is requested manually; a temperature of 0 draws none. In
   * VS Code, the field `alternativesTemperature` of the setting `sampling`.
   */
  alternatives: { temperature: number(SAMPLING_RANGES.temperature.sensible, 0.8) },
};

/** Settings without a remote engine. */
export const NO_REMOTE = { url: '', model: '', tokenizer: '', fallback: false } as const;

export type ServerSettings = SettingValues<typeof SERVER_SETTINGS>;

/** Bits per weight of a drafter: as stored in its files, a number, or `auto` by target and device. */
export type DrafterBits = 'auto' | 'stored' | number;

/** Converts the setting `drafterBits`. */
export function drafterBitsOf(setting: ServerSettings['drafterBits']): DrafterBits {
  return setting === 'auto' || setting === 'stored' ? setting : Number(setting);
}

interface Settings {
  readonly [name: string]: Setting<unknown> | Settings;
}

type SettingValues<T> = {
  readonly [Name in keyof T]: T[Name] extends Setting<infer Value> ? Value : SettingValues<T[Name]>;
};

/** Returns the values of settings. `read` returns the user's value for a name such as "generate.temperature". */
export function settingValues<T extends Settings>(
  settings: T,
  read: (name: string) => unknown,
): SettingValues<T> {
  const values = Object.entries(settings).map(([name, setting]) => {
    if (!isSetting(setting)) return [name, settingValues(setting, (inner) => read(`${name}.${inner}`))];
    const value = read(name);
    return [name, setting.accepts(value) ? value : setting.byDefault];
  });
  return Object.fromEntries(values) as SettingValues<T>;
}

function isSetting(value: Setting<unknown> | Settings): value is Setting<unknown> {
  return typeof value.accepts === 'function';
}

function text(): Setting<string> {
  return { byDefault: '', expected: 'a string', accepts: (value) => typeof value === 'string' };
}

export function flag(byDefault: boolean): Setting<boolean> {
  return { byDefault, expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
}

/** Creates a setting with fixed choices; the first one is the default. */
export function choice<const T extends string>(first: T, ...rest: T[]): ChoiceSetting<T> {
  const choices = [first, ...rest];
  const accepts = (value: unknown): value is T => choices.some((candidate) => candidate === value);
  return { byDefault: first, choices, expected: choices.join(' or '), accepts };
}

function samplingNumber(name: keyof typeof SAMPLING_DEFAULTS): RangeSetting<number> {
  return number(SAMPLING_RANGES[name].sensible, SAMPLING_DEFAULTS[name]);
}

function number(range: NumberRange, byDefault: number): RangeSetting<number> {
  return { byDefault, range, expected: rangeText(range), accepts: (value) => isInRange(value, range) };
}

/** Creates a setting that is a number or one of `choices`, by default the first. `or` names the choices in errors. */
function numberOr<const T>(
  range: NumberRange,
  choices: readonly [T, ...T[]],
  or: string,
): RangeSetting<number | T> {
  const accepts = (value: unknown): value is number | T =>
    choices.some((candidate) => candidate === value) || isInRange(value, range);
  return { byDefault: choices[0], range, expected: rangeText(range) + or, accepts };
}
