// Parses arguments that control how tokens are chosen, and builds the decode request from them. Token ids are checked
// once a model is loaded, since they depend on its vocabulary; everything else is checked before.
import { wholeNumbers } from '../rules/numbers';
import { type SamplingOptions, drawsDrafts } from '../engine/request/sampling';
import { samplingNumbers, MAX_TOKENS } from '../engine/request/requestOptions';
import { SERVER_SETTINGS } from '../rules/serverSettings';
import type { DraftLength, DecodeRequest } from '../engine/decode/decode';
import { UserError, WrongValue } from '../rules/userError';
import { parseNumber, parseChoice } from './arguments';
import { type PairValues, parsePair } from './pairArguments';

/** Options of all commands that sample. */
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

/** Options of commands that show the output. */
export const OUTPUT_OPTIONS = {
  ...SAMPLING_OPTIONS,
  'confidence-threshold': { type: 'string' },
  logprobs: { type: 'string' },
  'repetition-guard': { type: 'boolean' },
  'no-repetition-guard': { type: 'boolean' },
} as const;

/** Help for `SAMPLING_OPTIONS`, in the order in which they are applied to a row of logits. */
export const SAMPLING_HELP = `
  --forbid ID           never emit the token with this id; may be repeated
  --repetition-penalty X
                        divide positive logits of recent tokens by X, multiply negative ones by it (default: 1)
  --presence-penalty X  subtract X from the logits of recent tokens (default: 0)
  --frequency-penalty X
                        subtract X for each time that a token occurs among the recent ones (default: 0)
  --penalty-window N    number of tokens that count as recent, including the prompt's (default: 20)
  --top-p X             keep the most probable tokens that together reach probability X (default: 1, all)
  --min-p X             keep tokens at least X times as probable as the most probable one (default: 0, all)
  --top-k N             keep the N most probable tokens (default: 0, all)
  --temperature X       draw tokens at random, more so the higher X is; 0 takes the most probable (default: 0)
  --seed N              seed of the draws; the same seed and options give the same text (default: random)
  --acceptance match|rejection
                        how draft tokens are accepted when tokens are drawn: match keeps those that equal the
                        target's own draw, rejection uses rejection sampling, with full as the default
                        draft length (default: match)`;

export const outputHelp = (guard: 'on' | 'off'): string => `
  --confidence-threshold X
                        verify drafts up to the first one that the drafter is less sure of than X, from 0 to 1;
                        DSpark drafters have a head for it (default: 0, all)${SAMPLING_HELP}
  --logprobs N          add each token's log probability and the N most probable tokens to the JSON; decodes
                        without drafts
  --repetition-guard    stop a text that keeps repeating itself${guard === 'on' ? ' (the default)' : ''}
  --no-repetition-guard do not stop it${guard === 'off' ? ' (the default)' : ''}`;

/** Range of token ids before a vocabulary is known. */
const TOKEN_IDS = wholeNumbers(0, 2 ** 31 - 1);

interface SamplingValues extends Readonly<Record<string, unknown>> {
  readonly forbid?: readonly string[] | undefined;
  readonly acceptance?: string | undefined;
}

/** Parses sampling options. The result has only those that were given. */
export function samplingArguments(values: SamplingValues): SamplingOptions {
  const { forbid, acceptance } = values;
  return {
    ...samplingNumbers((name, range) => {
      const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const text = values[option];
      return typeof text === 'string' ? parseNumber(`--${option}`, text, range) : undefined;
    }),
    ...(forbid && { forbiddenTokens: forbid.map((id) => parseNumber('--forbid', id, TOKEN_IDS)) }),
    ...(acceptance !== undefined && {
      acceptance: parseChoice('--acceptance', acceptance, SERVER_SETTINGS.generate.acceptance.choices),
    }),
  };
}

interface OutputValues extends SamplingValues, PairValues {
  readonly json: boolean;
  readonly 'max-tokens': string;
  readonly 'confidence-threshold'?: string | undefined;
  readonly 'repetition-guard'?: boolean | undefined;
  readonly 'no-repetition-guard'?: boolean | undefined;
}

/** Parses the options of a command that shows its output: the pair, and the limits of its requests. */
export function outputArguments(
  values: OutputValues,
  defaults: { readonly draftLength: DraftLength; readonly guard: 'on' | 'off' },
) {
  const sampling = samplingArguments(values);
  if (sampling.logprobs !== undefined && !values.json) {
    throw new UserError('Only the JSON shows log probabilities. Give --json with --logprobs.');
  }
  // With rejection sampling, the text depends on where rounds end; a fixed draft length makes a seed reproduce it.
  const pair = parsePair(values, drawsDrafts(sampling) ? 'full' : defaults.draftLength);
  const limits = {
    maxTokens: parseNumber('--max-tokens', values['max-tokens'], MAX_TOKENS),
    draftLength: pair.draftLength,
    confidenceThreshold: parseThreshold(values['confidence-threshold']),
    sampling,
    repetitionGuard: parseGuard(values, defaults.guard),
  };
  requireRepeatable(limits);
  return { pair, limits };
}

function parseThreshold(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseNumber('--confidence-threshold', text, { min: 0, max: 1 });
}

function parseGuard(values: OutputValues, byDefault: 'on' | 'off'): boolean {
  const on = values['repetition-guard'];
  const off = values['no-repetition-guard'];
  if (on && off) {
    throw new UserError('--repetition-guard contradicts --no-repetition-guard. Leave one out.');
  }
  return on ?? (off ? false : byDefault === 'on');
}

/** Returns whether tokens are drawn at random. */
export function usesChance({ temperature = 0 }: SamplingOptions): boolean {
  return temperature > 0;
}

/** Throws UserError for a seed with options under which timing changes the text. */
export function requireRepeatable({ sampling = {}, draftLength }: DecodeRequest): void {
  if (draftLength !== 'adaptive' || sampling.seed === undefined || !drawsDrafts(sampling)) return;
  throw new WrongValue({
    expected: 'a --draft-length of full or a number with a seed and --acceptance rejection',
    got: 'adaptive, which depends on timing',
    remedy: 'give a fixed length, leave out the seed, or use --acceptance match',
  });
}
