// The arguments that say how tokens are chosen, on the command line and in a line of a batch, and what a decode is asked
// with them. All are checked before a model is loaded, but for ids, which depend on its vocabulary.
import type { DecodeRequest, DraftLength } from '../engine/decode';
import { drawsDrafts, type SamplingNumbers, type SamplingOptions } from '../engine/sampling/sampling';
import { InputError } from '../inputError';
import { isInRange, rangeText, whole, type NumberRange } from '../rules/numberRange';
import { SAMPLING_RANGES } from '../rules/samplingRanges';
import { SERVER_SETTINGS } from '../rules/serverSettings';
import { MAX_TOKENS, parseChoice, parseNumber, parsePair, type PairValues } from './arguments';

/** Of every command that samples. */
export const SAMPLING_OPTIONS = {
  temperature: { type: 'string' },
  'top-k': { type: 'string' },
  'top-p': { type: 'string' },
  'min-p': { type: 'string' },
  'repetition-penalty': { type: 'string' },
  'presence-penalty': { type: 'string' },
  'frequency-penalty': { type: 'string' },
  'penalty-window': { type: 'string' },
  forbid: { type: 'string', multiple: true },
  seed: { type: 'string' },
  acceptance: { type: 'string' },
} as const;

/** Of commands that show what was decoded. */
export const OUTPUT_OPTIONS = {
  ...SAMPLING_OPTIONS,
  'confidence-threshold': { type: 'string' },
  logprobs: { type: 'string' },
  'repetition-guard': { type: 'boolean' },
  'no-repetition-guard': { type: 'boolean' },
} as const;

/** In the order in which a row of logits meets them. */
export const SAMPLING_HELP = `
  --forbid ID           token that never comes out; may be given several times
  --repetition-penalty X
                        divides the positive logits of recent tokens, multiplies negative ones (default: 1)
  --presence-penalty X  taken off the logits of recent tokens (default: 0)
  --frequency-penalty X
                        taken off for each time that a token is among the recent ones (default: 0)
  --penalty-window N    how many tokens are recent, the prompt's included (default: 20)
  --top-p X             keep the most probable tokens that together reach X (default: 1, all)
  --min-p X             keep tokens at least X times as probable as the best one (default: 0, all)
  --top-k N             keep so many tokens (default: 0, all)
  --temperature X       draw by chance, the more the higher; 0 takes the most probable token (default: 0)
  --seed N              the same seed and options give the same text (default: another one each time)
  --acceptance match|rejection
                        how drafts are accepted when tokens are drawn: those that equal the target's own draw, or
                        by rejection sampling, with the usual draft length "full" (default: match)`;

export const outputHelp = (guard: 'on' | 'off'): string => `
  --confidence-threshold X
                        verify drafts up to the first one that the drafter is less sure of, from 0 to 1; DSpark
                        drafters have a head for that (default: 0, all)${SAMPLING_HELP}
  --logprobs N          add to the JSON the logarithm of each token's probability and the N most probable tokens;
                        decodes without drafts
  --repetition-guard    end a text that goes round in circles${guard === 'on' ? ' (the default)' : ''}
  --no-repetition-guard do not end it${guard === 'off' ? ' (the default)' : ''}`;

export const SAMPLING_FIELDS: readonly string[] = Object.keys(SAMPLING_RANGES);

const FORBIDDEN = whole(0, 2 ** 31 - 1);

interface SamplingValues extends Readonly<Record<string, unknown>> {
  readonly forbid?: readonly string[] | undefined;
  readonly acceptance?: string | undefined;
}

/** Only what was given. */
export function samplingArguments(values: SamplingValues): SamplingOptions {
  const { forbid, acceptance } = values;
  return {
    ...numbers((name, range) => {
      const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const text = values[option];
      return typeof text === 'string' ? parseNumber(`--${option}`, text, range) : undefined;
    }),
    ...(forbid && { forbiddenTokens: forbid.map((id) => parseNumber('--forbid', id, FORBIDDEN)) }),
    ...(acceptance !== undefined && {
      acceptance: parseChoice('--acceptance', acceptance, SERVER_SETTINGS.generate.acceptance.choices),
    }),
  };
}

/** The same of fields of a JSON object; `wrong` makes the error of what was expected and what is there. */
export function samplingFields(
  entry: Readonly<Record<string, unknown>>,
  wrong: (expected: string, got: unknown) => InputError,
): SamplingNumbers {
  return numbers((name, range) => {
    const value = entry[name];
    if (value === undefined || isInRange(value, range)) return value;
    throw wrong(`${name} to be ${rangeText(range)}`, value);
  });
}

function numbers(read: (name: string, range: NumberRange) => number | undefined): SamplingNumbers {
  const given = Object.entries(SAMPLING_RANGES).map(([name, { possible }]) => [name, read(name, possible)]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as SamplingNumbers;
}

interface OutputValues extends SamplingValues, PairValues {
  readonly json: boolean;
  readonly 'max-tokens': string;
  readonly 'confidence-threshold'?: string | undefined;
  readonly 'repetition-guard'?: boolean | undefined;
  readonly 'no-repetition-guard'?: boolean | undefined;
}

/** What a command that shows its output asks for. `usual` is what is done where nothing is said. */
export function outputArguments(
  values: OutputValues,
  usual: { readonly draftLength: DraftLength; readonly guard: 'on' | 'off' },
) {
  const sampling = samplingArguments(values);
  if (sampling.logprobs !== undefined && !values.json) {
    const remedy = 'give it, as only the JSON has room for them';
    throw new InputError({ expected: '--json with --logprobs', got: 'none', remedy });
  }
  // How the rounds fall decides what drawn drafts become, so that a text whose seed is shown can be had again.
  const pair = parsePair(values, drawsDrafts(sampling) ? 'full' : usual.draftLength);
  const limits = {
    maxTokens: parseNumber('--max-tokens', values['max-tokens'], MAX_TOKENS),
    draftLength: pair.draftLength,
    confidenceThreshold: parseThreshold(values['confidence-threshold']),
    sampling,
    repetitionGuard: parseGuard(values, usual.guard),
  };
  requireRepeatable(limits);
  return { pair, limits };
}

function parseThreshold(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseNumber('--confidence-threshold', text, { min: 0, max: 1 });
}

function parseGuard(values: OutputValues, usual: 'on' | 'off'): boolean {
  const [on, off] = [values['repetition-guard'], values['no-repetition-guard']];
  if (on && off) {
    const expected = '--repetition-guard or --no-repetition-guard';
    throw new InputError({ expected, got: 'both', remedy: 'choose one of them' });
  }
  return on ?? (off ? false : usual === 'on');
}

export function usesChance({ temperature = 0 }: SamplingOptions): boolean {
  return temperature > 0;
}

/** Throws InputError where a seed would promise a text that depends on the clock. */
export function requireRepeatable({ sampling = {}, draftLength }: DecodeRequest): void {
  if (draftLength !== 'adaptive' || sampling.seed === undefined || !drawsDrafts(sampling)) return;
  throw new InputError({
    expected: 'a --draft-length of full or a number beside a seed and --acceptance rejection',
    got: 'adaptive, which goes by the clock',
    remedy: 'give a fixed length, leave out the seed, or use --acceptance match',
  });
}
