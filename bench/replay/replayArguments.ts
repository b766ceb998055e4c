// Options and help of `flashline replay`.
import { parseArguments, parseCount, parseChoice, parseNumber } from '../../server/cli/arguments';
import { pairHelp, PAIR_OPTIONS, parsePair } from '../../server/cli/pairArguments';
import type { NumberRange } from '../../server/rules/numbers';
import { SERVER_SETTINGS } from '../../server/rules/serverSettings';
import type { GivenSettings } from './replayClient';

export const HELP = `flashline replay [options]

Types source files the way a person does, with pauses, slips, undone words, accepted suggestions and switches between
files, and measures how long suggestions take. The language server runs in its own process. Prints tables and, as its
last line, JSON. A default run takes about 80 seconds on a machine that keeps up. Ctrl+C ends it early with the figures
so far.

  --keys N              number of keys to type (default: 400)
  --seed N              seed of the typing; another seed types differently (default: 1)
  --speed X             divide all pauses, and --patience, by X (default: 1, the pace of a person)
  --patience MS         wait at most this long for a suggestion before the next key (default: no limit)
  --file FILE           type this file instead of the bundled ones; may be repeated
  --debounce MS         milliseconds of quiet before a request reaches the engine (default: 0, to measure the engine)
  --prefetch WHEN       when to compute the next suggestion early: always, pluggedIn or never (default: as in the
                        editor)
  --cache-memory MB     memory for cached prompts, in MB (default: as in the editor)
  --hide-below PERCENT  hide suggestions less likely to be kept than this (default: 0, none)
  --next-edit DIR       request next edits of the model in this folder after each pause in typing (default: off)
  --generate            also request generated code now and then
  --json FILE           also write the JSON to this file${pairHelp('adaptive')}`;

export interface ReplayArguments {
  readonly keys: number;
  readonly seed: number;
  readonly speed: number;
  readonly patienceMs: number | undefined;
  readonly files: readonly string[];
  readonly generate: boolean;
  readonly json: string | undefined;
  readonly settings: GivenSettings & { readonly debounceMs: number };
}

export function replayArguments(args: string[]): ReplayArguments {
  const { values } = parseArguments({
    args,
    options: {
      ...PAIR_OPTIONS,
      keys: { type: 'string', default: '400' },
      seed: { type: 'string', default: '1' },
      speed: { type: 'string', default: '1' },
      patience: { type: 'string' },
      file: { type: 'string', multiple: true, default: [] },
      debounce: { type: 'string', default: '0' },
      prefetch: { type: 'string' },
      'cache-memory': { type: 'string' },
      'hide-below': { type: 'string', default: '0' },
      'next-edit': { type: 'string' },
      generate: { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  });
  const count = (option: 'keys' | 'seed' | 'debounce' | 'hide-below', range: NumberRange): number =>
    parseCount(`--${option}`, values[option], range);
  const countIfGiven = (option: 'patience' | 'cache-memory', range: NumberRange): number | undefined =>
    values[option] === undefined ? undefined : parseCount(`--${option}`, values[option], range);
  const { debounceMs, hideBelow, prefetch, cacheMemoryMB } = SERVER_SETTINGS;
  return {
    keys: count('keys', { min: 1, max: 100_000 }),
    seed: count('seed', { min: 0, max: 999_999_999 }),
    speed: parseNumber('--speed', values.speed, { min: 0.1, max: 1000 }),
    patienceMs: countIfGiven('patience', { min: 0, max: 60_000 }),
    files: values.file,
    generate: values.generate,
    json: values.json,
    settings: {
      ...parsePair(values, 'adaptive'),
      debounceMs: count('debounce', debounceMs.range),
      hideBelow: count('hide-below', hideBelow.range),
      ...(values.prefetch !== undefined && {
        prefetch: parseChoice('--prefetch', values.prefetch, prefetch.choices),
      }),
      cacheMemoryMB: countIfGiven('cache-memory', cacheMemoryMB.range),
      ...(values['next-edit'] !== undefined && { nextEdit: 'inline', nextEditModel: values['next-edit'] }),
    },
  };
}
