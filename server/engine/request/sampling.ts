// How a token is chosen from logits: the options of a request, and their defaults.
import { isInRange, rangeText, SAMPLING_RANGES } from '../../rules/numbers';

/**
 * How drafts are accepted when tokens are drawn at random. Both give exactly the distribution of plain sampling.
 * - match: the target draws a token for every position, and drafts that equal it stay. With a seed the text does not
 *   depend on the drafts at all.
 * - rejection: drafts are drawn too, and each stays with probability min(1, p / q). With a seed the text depends on
 *   where rounds begin.
 */
export type AcceptanceMode = 'match' | 'rejection';

/** The settings of the same names explain the numbers. */
export type SamplingNumbers = { readonly [Name in keyof typeof SAMPLING_RANGES]?: number | undefined };

export interface SamplingOptions extends SamplingNumbers {
  /** Tokens that never come out. */
  readonly forbiddenTokens?: readonly number[] | undefined;
  /** What is added to the logits of tokens, by id; the last one of a token counts. */
  readonly logitBias?: readonly (readonly [token: number, bias: number])[] | undefined;
  readonly acceptance?: AcceptanceMode | undefined;
}

/** Every option decided; log-probabilities may not be requested. */
export type Sampling = Pick<Required<SamplingOptions>, 'logprobs'> & {
  readonly [Name in Exclude<keyof SamplingOptions, 'logprobs'>]-?: NonNullable<SamplingOptions[Name]>;
};

/** Seeds are whole numbers below this, exact in JSON. */
export const SEEDS = SAMPLING_RANGES.seed.possible.max + 1;

/** A different one each time. */
function newSeed(): number {
  return Math.floor(Math.random() * SEEDS);
}

/** The same sampling with `count` seeds, counted up from the first; as it is for one text. */
export function severalSeeds(sampling: SamplingOptions, count: number): SamplingOptions[] {
  if (count === 1) return [sampling];
  const first = sampling.seed ?? newSeed();
  return Array.from({ length: count }, (_, i) => ({ ...sampling, seed: (first + i) % SEEDS }));
}

const GREEDY = {
  temperature: 0,
  topK: 0,
  topP: 1,
  minP: 0,
  repetitionPenalty: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  // That of mlx-lm.
  penaltyWindow: 20,
  forbiddenTokens: [],
  logitBias: [],
  acceptance: 'match',
  logprobs: undefined,
} as const;

/** People are shown few log-probabilities, but they are available for the whole vocabulary. */
const RANGES = {
  ...SAMPLING_RANGES,
  logprobs: { possible: { min: 0, max: Infinity, kind: 'whole' } },
} as const;

/** A wrong number here is a defect of the caller, who has checked what a person gave: a RangeError. */
export function samplingOf(options: SamplingOptions = {}): Sampling {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const sampling: Sampling = { ...GREEDY, seed: newSeed(), ...given };
  for (const name of Object.keys(RANGES) as (keyof typeof RANGES)[]) {
    const [value, { possible }] = [sampling[name], RANGES[name]];
    if (value === undefined || isInRange(value, possible)) continue;
    throw new RangeError(`Expected ${name} to be ${rangeText(possible)}, got ${String(value)}`);
  }
  return sampling;
}

/** Whether only the most probable token of the bare logits is needed. */
export function isBareGreedy(sampling: Sampling): boolean {
  const { temperature, logprobs } = sampling;
  return temperature === 0 && !penalises(sampling) && !steers(sampling) && logprobs === undefined;
}

/** Whether single tokens are forbidden or favoured. */
function steers({ forbiddenTokens, logitBias }: Sampling): boolean {
  return forbiddenTokens.length > 0 || logitBias.length > 0;
}

export function penalises({
  repetitionPenalty,
  presencePenalty,
  frequencyPenalty,
  penaltyWindow,
}: Sampling): boolean {
  const changes = repetitionPenalty !== 1 || presencePenalty !== 0 || frequencyPenalty !== 0;
  return changes && penaltyWindow > 0;
}

/** Whether drafts are drawn at random, like the target's own tokens. */
export function drawsDrafts({ acceptance, temperature = 0 }: SamplingOptions): boolean {
  return acceptance === 'rejection' && temperature > 0;
}

/** Whether anything but the temperature shapes what is drawn from. */
export function truncates({ topP, minP, topK }: Sampling): boolean {
  return topP < 1 || minP > 0 || topK > 0;
}
