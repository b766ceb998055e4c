// How fast a mixture of experts reads a prompt on a GPU, before that is measured.
// MLX 0.13 multiplies one row by one expert at a time, also for a whole prompt (docs/internals/architecture.md). Rows are
// sorted by expert, so the next one finds some of the weights in the cache, and that is all a long prompt gains.
import { memoryBandwidth } from '../../machine/thisMachine';
import type { ModelSizes } from './modelSizes';

/**
 * Speed of reading as a multiple of the speed of decoding. Published for Qwen1.5-MoE-A2.7B in 4 bits: 1,400 tokens/s
 * (mlx-lm pull request 52, MLX 0.24), where decoding can reach 370 by the bandwidth of the largest Macs.
 */
const PROMPT_GAIN = 4;

/** Tokens per second; undefined for dense models and on CPUs, of which this arithmetic says nothing. */
export function mixturePromptSpeed(
  { parameters, activeParameters, weightBytes }: ModelSizes,
  processor: 'cpu' | 'gpu',
  bytesPerSecond = memoryBandwidth(processor),
): number | undefined {
  if (processor === 'cpu' || activeParameters >= parameters) return undefined;
  return (PROMPT_GAIN * bytesPerSecond * parameters) / (weightBytes * activeParameters);
}
