// Chooses the sampler of a request.
import { isBareGreedy, type Sampling } from '../request/sampling';
import { GreedySampler } from './greedySampler';
import type { Sampler } from './sampler';
import { SamplerChain } from './samplerChain';

/** `maskTokenId` is that of the drafter, if it has one; `greedyLogprobs` is the request's option. */
export function createSampler(sampling: Sampling, maskTokenId?: number, greedyLogprobs = false): Sampler {
  if (isBareGreedy(sampling)) return new GreedySampler(greedyLogprobs);
  return new SamplerChain(sampling, maskTokenId);
}
