// Estimates from the sizes of models how much memory they need, how fast they are, and whether drafts make them faster.
import { memoryBandwidth } from '../machine/memoryBandwidth';
import { BYTES_BF16, cachedBytes, type ModelSizes } from '../models/checkpoint/modelSizes';
import type { MachineFacts, SpeedClass, SpeedEstimate } from '../protocol/modelCatalogue';
import { passCost } from '../rules/rowCost';
import type { PairVariant } from './knownPairs';

/** Tokens per second below which people type faster than the model. */
export const MODERATE_SPEED = 15;
/** Speed classes with their lowest tokens per second. */
const CLASSES: readonly (readonly [SpeedClass, number])[] = [
  ['instant', 80],
  ['fast', 40],
  ['moderate', MODERATE_SPEED],
];

/** Acceptance rate of a draft token whose predecessors are accepted, typical of published drafters on code. */
const ACCEPTANCE_RATE = 0.8;
/** Minimum speed-up for which drafts pay; the estimate ignores costs that outweigh a smaller one. */
const MIN_GAIN = 1.1;
/** Maximum drafts per round; more are unlikely to be accepted together. */
const MAX_DRAFTS = 15;

const BYTES_F32 = 4;
/** Tokens of the context to plan memory for, output included. */
const LONG_PROMPT = 8192;
/** Tokens of the context that decoding ghost text usually reads. */
const TYPICAL_PROMPT = 1024;

/** Returns the bytes of the weights of all models together. */
export function weightBytesOf(models: readonly ModelSizes[]): number {
  return models.reduce((sum, { weightBytes }) => sum + weightBytes, 0);
}

/** Returns the bytes that models need at least: weights, and the KV cache of a long prompt. */
export function memoryNeed(models: readonly ModelSizes[], processor: MachineFacts['processor']): number {
  return models.reduce((sum, sizes) => sum + bytesIn(sizes, processor, LONG_PROMPT, sizes.parameters), 0);
}

/** Returns the bytes read to decode a token: active weights, and the KV cache of a typical prompt. */
function bytesPerToken(sizes: ModelSizes, processor: MachineFacts['processor']): number {
  return bytesIn(sizes, processor, TYPICAL_PROMPT, sizes.activeParameters);
}

/** Returns the bytes of `parameters` weights and of the KV cache for `tokens`. On a CPU, both are float32. */
function bytesIn(
  sizes: ModelSizes,
  processor: MachineFacts['processor'],
  tokens: number,
  parameters: number,
): number {
  const cached = cachedBytes(sizes, tokens);
  if (processor === 'cpu') return BYTES_F32 * parameters + cached * (BYTES_F32 / BYTES_BF16);
  return sizes.weightBytes * (parameters / sizes.parameters) + cached;
}

/** Returns whether drafts should make decoding faster, estimated from the costs of drafting and of verifying rows. */
export function draftsPay({ pair, bits, sizes }: PairVariant, processor: MachineFacts['processor']): boolean {
  const [target, drafter] = sizes;
  if (drafter === undefined) return false;
  const isMixture = pair.activeParameters !== undefined;
  const draftingCost = bytesPerToken(drafter, processor) / bytesPerToken(target, processor);
  // Expected tokens and cost of a round with this many drafts. Costs are in plain steps, each of which yields one token.
  const expectedTokens = (drafts: number): number =>
    (1 - ACCEPTANCE_RATE ** (drafts + 1)) / (1 - ACCEPTANCE_RATE);
  const cost = (drafts: number): number =>
    passCost({ processor, bits, isMixture }, drafts + 1) + draftingCost;
  return Array.from({ length: MAX_DRAFTS }, (_, i) => i + 1).some(
    (drafts) => expectedTokens(drafts) >= MIN_GAIN * cost(drafts),
  );
}

/** Estimates the memory of models with known sizes, and the speed of plain decoding from bytes read per token. */
export function estimates(
  sizes: readonly (ModelSizes | undefined)[],
  processor: MachineFacts['processor'],
  bytesPerSecond = memoryBandwidth(processor),
): { readonly memoryBytes: number | undefined; readonly speed: SpeedEstimate | undefined } {
  const knownSizes = sizes.filter((size) => size !== undefined);
  const [target] = sizes;
  return {
    memoryBytes: knownSizes.length > 0 ? memoryNeed(knownSizes, processor) : undefined,
    speed: target && speedOf(bytesPerSecond / bytesPerToken(target, processor), false),
  };
}

/** Returns the class and speed of plain decoding on this machine. */
export function speedOf(tokensPerSecond: number, isMeasured: boolean): SpeedEstimate {
  const [name = 'slow'] = CLASSES.find(([, minSpeed]) => tokensPerSecond >= minSpeed) ?? [];
  return { class: name, tokensPerSecond, isMeasured };
}
