// Chooses the sampler of a request.
import { isBareGreedy, type Sampling } from '../request/sampling';
import { GreedySampler } from './greedySampler';
import type { Sampler } from './sampler';
import { SamplerChain } from './samplerChain';

/**
 * Returns the sampler for a request. `maskTokenId` is the drafter's mask token, which must never be drawn;
 * `greedyLogprobs` is the option of `DecodeRequest`.
 */
export function createSampler(sampling: Sampling, maskTokenId?: number, greedyLogprobs = false): Sampler {
  if (isBareGreedy(sampling)) return new GreedySampler(greedyLogprobs);
  return new SamplerChain(sampling, maskTokenId);
}
