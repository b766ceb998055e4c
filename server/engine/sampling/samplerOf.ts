// The way to make tokens that a request asks for.
import { chainSampler } from './chainSampler';
import { greedySampler } from './greedySampler';
import type { Sampler } from './sampler';
import { isBareGreedy, type Sampling } from './sampling';

/** `maskTokenId` of the drafter is an untrained row of the vocabulary, which chance could fall on. */
export function samplerOf(sampling: Sampling, maskTokenId?: number): Sampler {
  if (isBareGreedy(sampling)) return greedySampler;
  const masks = maskTokenId === undefined ? [] : [maskTokenId];
  return chainSampler({
    ...sampling,
    forbiddenTokens: [...new Set([...sampling.forbiddenTokens, ...masks])],
  });
}
