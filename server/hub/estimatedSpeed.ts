// How fast a model decodes plainly, estimated from what a token has to read, or as it was measured.
// Arithmetic on sizes and a bandwidth.
import type { SpeedClass, SpeedEstimate } from '../modelCatalogue';
import type { Machine } from './machine';
import { BYTES_F32, type ModelSizes } from './modelSizes';

/** Of a usual prompt; all of it is read for each token. */
const CONTEXT_TOKENS = 1024;

/** Tokens per second from which on a model is of a class. */
const CLASSES: readonly (readonly [SpeedClass, number])[] = [
  ['instant', 80],
  ['fast', 40],
  ['moderate', 15],
];

/** Of the target alone. */
export function estimatedSpeed(sizes: ModelSizes, machine: Machine): SpeedEstimate {
  const tokensPerSecond = machine.bytesPerSecond / bytesPerToken(sizes, machine.processor);
  return { class: speedClass(tokensPerSecond), tokensPerSecond, isMeasured: false };
}

/** Of plain decoding on this machine. */
export function measuredSpeed(tokensPerSecond: number): SpeedEstimate {
  return { class: speedClass(tokensPerSecond), tokensPerSecond, isMeasured: true };
}

function speedClass(tokensPerSecond: number): SpeedClass {
  return CLASSES.find(([, least]) => tokensPerSecond >= least)?.[0] ?? 'slow';
}

/** On a CPU weights, keys and values are float32, whatever they are on disk. */
function bytesPerToken(sizes: ModelSizes, processor: Machine['processor']): number {
  const { parameters, activeParameters, weightBytes, cacheBytesPerToken } = sizes;
  const cached = CONTEXT_TOKENS * cacheBytesPerToken;
  return processor === 'gpu'
    ? weightBytes * (activeParameters / parameters) + cached
    : activeParameters * BYTES_F32 + 2 * cached;
}
