// Expected prefill speed of a mixture of experts on a GPU, before it is measured. MLX 0.13 multiplies one row by one
// expert at a time, even for a whole prompt (docs/internals/results.md). Because rows are sorted by expert, the
// next row finds some of the weights in the cache of the GPU; a long prompt gains nothing else.
import { memoryBandwidth } from '../../machine/memoryBandwidth';
import type { ModelSizes } from './modelSizes';

/**
 * Prefill speed as a multiple of the decode speed. Published for Qwen1.5-MoE-A2.7B in 4 bits: 1,400 tokens/s (mlx-lm
 * pull request 52, MLX 0.24), where the bandwidth of the largest Macs limits decoding to 370.
 */
const PROMPT_GAIN = 4;

/** Returns tokens per second; undefined for dense models and on CPUs, which this estimate does not cover. */
export function mixturePromptSpeed(
  { parameters, activeParameters, weightBytes }: ModelSizes,
  processor: 'cpu' | 'gpu',
  bytesPerSecond = memoryBandwidth(processor),
): number | undefined {
  if (processor === 'cpu' || activeParameters >= parameters) return undefined;
  return (PROMPT_GAIN * bytesPerSecond * parameters) / (weightBytes * activeParameters);
}
