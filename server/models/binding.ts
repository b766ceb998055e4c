// Loads the native addon once, with the settings that must be in place before it starts.
// Knows the differences between node-mlx 0.0.7 and 0.4.x; nothing else does but ops.ts and memory.ts.
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { InputError } from '../inputError';
import type { MlxCore } from './mlxCore';

/** What the loaded release can do by itself. */
export interface Features {
  /** dispose() and a promise from asyncEval (0.4). */
  readonly nativeDispose: boolean;
  /** 'causal' and boolean masks in scaledDotProductAttention (0.4). */
  readonly causalMask: boolean;
}

// OpenBLAS spins one thread per logical core, which only fights with the editor; physical work stops paying at 4.
process.env['OPENBLAS_NUM_THREADS'] ??= String(Math.min(4, availableParallelism()));
// On the CPU back end mx.compile starts g++ at run time and aborts the process where there is none.
if (process.platform !== 'darwin') process.env['MLX_DISABLE_COMPILE'] ??= '1';

export const core: MlxCore = loadAddon();

export const features: Features = {
  nativeDispose: typeof core.dispose === 'function',
  causalMask: 'toTypedArray' in core.array.prototype,
};

function loadAddon(): MlxCore {
  try {
    const addon = createRequire(__filename)('@frost-beta/mlx') as { core: MlxCore };
    return addon.core;
  } catch (cause) {
    throw new InputError({
      expected: `the native MLX addon for ${process.platform}-${process.arch} to load`,
      got: cause instanceof Error ? (cause.message.split('\n')[0] ?? cause.name) : String(cause),
      remedy: 'run "npm run setup", which installs what it needs or says which command does',
      cause,
    });
  }
}
