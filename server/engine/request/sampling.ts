// Sampling options of a request, and their defaults.
import { defined } from '../../rules/defined';
import { isInRange, rangeText, SAMPLING_DEFAULTS, SAMPLING_RANGES } from '../../rules/numbers';

/**
 * Acceptance of drafts when tokens are drawn at random. Both modes give exactly the distribution of plain sampling.
 * - match: the target draws a token for every position and accepts drafts that equal it. A seeded text does not depend
 *   on the drafts at all.
 * - rejection: drafts are drawn too, and each is accepted with probability min(1, p / q). A seeded text depends on
 *   where rounds begin.
 */
export type AcceptanceMode = 'match' | 'rejection';

/**
 * Numeric options. The properties of the setting `flashline.sampling` explain them, except `logprobs`: the number of
 * most probable tokens to report at each position.
 */
export type SamplingNumbers = { readonly [Name in keyof typeof SAMPLING_RANGES]?: number | undefined };

export interface SamplingOptions extends SamplingNumbers {
  /** Tokens that are never emitted. */
  readonly forbiddenTokens?: readonly number[] | undefined;
  /** Values to add to the logits of tokens; the last one of a token counts. */
  readonly logitBias?: readonly (readonly [token: number, bias: number])[] | undefined;
  readonly acceptance?: AcceptanceMode | undefined;
}

/** Options with all defaults filled in; `logprobs` is undefined unless requested. */
export type Sampling = { readonly logprobs: number | undefined } & {
  readonly [Name in Exclude<keyof SamplingOptions, 'logprobs'>]-?: NonNullable<SamplingOptions[Name]>;
};

/** Number of possible seeds: whole numbers from 0 that are exact in JSON. */
export const SEED_COUNT = SAMPLING_RANGES.seed.possible.max + 1;

function newSeed(): number {
  return Math.floor(Math.random() * SEED_COUNT);
}

/** Returns the sampling with `count` consecutive seeds, one per text; unchanged for a single text. */
export function severalSeeds(sampling: SamplingOptions, count: number): SamplingOptions[] {
  if (count === 1) return [sampling];
  const first = sampling.seed ?? newSeed();
  return Array.from({ length: count }, (_, i) => ({ ...sampling, seed: (first + i) % SEED_COUNT }));
}

const DEFAULTS = {
  ...SAMPLING_DEFAULTS,
  forbiddenTokens: [],
  logitBias: [],
  acceptance: 'match',
  logprobs: undefined,
} as const;

/** Ranges that the engine accepts. Users can request only a few log-probabilities, code those of all tokens. */
const RANGES = {
  ...SAMPLING_RANGES,
  logprobs: { possible: { min: 0, max: Infinity, kind: 'whole' } },
} as const;

/** Fills in defaults. Throws RangeError for a wrong number: a defect, as callers check user input before. */
export function samplingOf(options: SamplingOptions = {}): Sampling {
  const sampling: Sampling = { ...DEFAULTS, seed: newSeed(), ...defined(options) };
  for (const name of Object.keys(RANGES) as (keyof typeof RANGES)[]) {
    const value = sampling[name];
    const { possible } = RANGES[name];
    if (value === undefined || isInRange(value, possible)) continue;
    throw new RangeError(`Expected ${name} to be ${rangeText(possible)}, got ${String(value)}`);
  }
  return sampling;
}

/** Returns whether only the most probable token of the bare logits is needed. */
export function isBareGreedy(sampling: Sampling): boolean {
  const { temperature, logprobs } = sampling;
  return temperature === 0 && !penalises(sampling) && !steers(sampling) && logprobs === undefined;
}

/** Returns whether single tokens are forbidden or have a bias. */
function steers({ forbiddenTokens, logitBias }: Sampling): boolean {
  return forbiddenTokens.length > 0 || logitBias.length > 0;
}

/** Returns whether penalties change the logits of the tokens in the penalty window. */
export function penalises({
  repetitionPenalty,
  presencePenalty,
  frequencyPenalty,
  penaltyWindow,
}: Sampling): boolean {
  const changes = repetitionPenalty !== 1 || presencePenalty !== 0 || frequencyPenalty !== 0;
  return changes && penaltyWindow > 0;
}

/** Returns whether drafts are drawn at random, like the target's own tokens. */
export function drawsDrafts({ acceptance, temperature = 0 }: SamplingOptions): boolean {
  return acceptance === 'rejection' && temperature > 0;
}

/** Returns whether top-p, min-p or top-k cut the distribution. */
export function truncates({ topP, minP, topK }: Sampling): boolean {
  return topP < 1 || minP > 0 || topK > 0;
}
