// The options that say how tokens are chosen, on the command line and in a line of a batch. All are checked before
// a model is loaded, but for ids, which depend on its vocabulary.
import type { DecodeRequest, DraftLength } from '../engine/decode';
import { drawsDrafts, SEEDS, type AcceptanceMode, type SamplingOptions } from '../engine/sampling/sampling';
import { InputError } from '../inputError';
import { isInRange, parseNumber, rangeText, type NumberRange } from './numberRange';

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

export const outputHelp = (guard: 'on' | 'off'): string => `${SAMPLING_HELP}
  --logprobs N          add to the JSON the logarithm of each token's probability and the N most probable tokens;
                        decodes without drafts
  --repetition-guard    end a text that goes round in circles${guard === 'on' ? ' (the default)' : ''}
  --no-repetition-guard do not end it${guard === 'off' ? ' (the default)' : ''}`;

interface SamplingNumber extends NumberRange {
  readonly option: Exclude<
    keyof typeof OUTPUT_OPTIONS,
    'forbid' | 'repetition-guard' | 'no-repetition-guard'
  >;
}

/** By their names in a line of a batch. */
const NUMBERS = {
  temperature: { option: 'temperature', min: 0, max: 100 },
  topK: { option: 'top-k', min: 0, max: 1_000_000, kind: 'whole' },
  topP: { option: 'top-p', min: 0, max: 1, kind: 'above' },
  minP: { option: 'min-p', min: 0, max: 1 },
  repetitionPenalty: { option: 'repetition-penalty', min: 0, max: 100, kind: 'above' },
  presencePenalty: { option: 'presence-penalty', min: -100, max: 100 },
  frequencyPenalty: { option: 'frequency-penalty', min: -100, max: 100 },
  penaltyWindow: { option: 'penalty-window', min: 0, max: 1_000_000, kind: 'whole' },
  seed: { option: 'seed', min: 0, max: SEEDS - 1, kind: 'whole' },
  logprobs: { option: 'logprobs', min: 0, max: 100, kind: 'whole' },
} as const satisfies Readonly<Record<string, SamplingNumber>>;

type NumberName = keyof typeof NUMBERS;
type SamplingNumbers = Pick<SamplingOptions, NumberName>;

export const SAMPLING_FIELDS: readonly string[] = Object.keys(NUMBERS);

const FORBIDDEN: NumberRange = { min: 0, max: 2 ** 31 - 1, kind: 'whole' };
const MODES = ['match', 'rejection'] as const satisfies readonly AcceptanceMode[];

interface SamplingValues extends Readonly<Partial<Record<SamplingNumber['option'], string | undefined>>> {
  readonly forbid?: readonly string[] | undefined;
}

interface GuardValues {
  readonly 'repetition-guard'?: boolean | undefined;
  readonly 'no-repetition-guard'?: boolean | undefined;
}

/** Only what was given. */
export function samplingArguments(values: SamplingValues): SamplingOptions {
  const { forbid, acceptance } = values;
  return {
    ...numbers(({ option, ...range }) => {
      const text = values[option];
      return text === undefined ? undefined : parseNumber(`--${option}`, text, range);
    }),
    ...(forbid && { forbiddenTokens: forbid.map((id) => parseNumber('--forbid', id, FORBIDDEN)) }),
    ...(acceptance !== undefined && { acceptance: parseAcceptance(acceptance) }),
  };
}

/** The same of fields of a JSON object; `wrong` makes the error of what was expected and what is there. */
export function samplingFields(
  entry: Readonly<Record<string, unknown>>,
  wrong: (expected: string, got: unknown) => InputError,
): SamplingNumbers {
  return numbers((range, name) => {
    const value = entry[name];
    if (value === undefined || isInRange(value, range)) return value;
    throw wrong(`${name} to be ${rangeText(range)}`, value);
  });
}

function numbers(read: (number: SamplingNumber, name: string) => number | undefined): SamplingNumbers {
  const given = Object.entries(NUMBERS).map(([name, number]) => [name, read(number, name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

export function parseGuard(values: GuardValues, usual: 'on' | 'off'): boolean {
  const [on, off] = [values['repetition-guard'], values['no-repetition-guard']];
  if (on && off) {
    throw new InputError({
      expected: '--repetition-guard or --no-repetition-guard',
      got: 'both',
      remedy: 'choose one of them',
    });
  }
  return on ?? (off ? false : usual === 'on');
}

/** Throws InputError for log-probabilities that would be computed and not shown. */
export function requireReader({ logprobs }: SamplingOptions, output: 'json' | 'text'): void {
  if (logprobs === undefined || output === 'json') return;
  throw new InputError({
    expected: '--json with --logprobs',
    got: 'none',
    remedy: 'give it, as only the JSON has room for them',
  });
}

function parseAcceptance(text: string): AcceptanceMode {
  const found = MODES.find((mode) => mode === text);
  if (found !== undefined) return found;
  throw new InputError({
    expected: '--acceptance match or rejection',
    got: `"${text}"`,
    remedy: 'choose one of them',
  });
}

export function usesChance({ temperature = 0 }: SamplingOptions): boolean {
  return temperature > 0;
}

/** How the rounds fall decides what drawn drafts become, so that a text whose seed is shown can be had again. */
export function usualLength(usual: DraftLength, sampling: SamplingOptions): DraftLength {
  return drawsDrafts(sampling) ? 'full' : usual;
}

/** Throws InputError where a seed would promise a text that depends on the clock. */
export function requireRepeatable({
  sampling = {},
  draftLength,
}: Pick<DecodeRequest, 'sampling' | 'draftLength'>): void {
  if (draftLength !== 'adaptive' || sampling.seed === undefined || !drawsDrafts(sampling)) return;
  throw new InputError({
    expected: 'a --draft-length of full or a number beside a seed and --acceptance rejection',
    got: 'adaptive, which goes by the clock',
    remedy: 'give a fixed length, leave out the seed, or use --acceptance match',
  });
}
