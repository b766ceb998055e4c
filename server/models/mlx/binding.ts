// Loads the native addon, with the environment that must be in place before. No other file names the addon.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { UserError } from '../../rules/userError';
import { addonEnvironment } from './addonEnvironment';
import type { MlxCore } from './addonTypes';

const BLIS = '/usr/lib/x86_64-linux-gnu/blis-openmp/libblas.so.3';

/** Whether the user has left compiling on; read before Flashline sets variables of its own. */
const canCompile = process.env['MLX_DISABLE_COMPILE'] === undefined;
Object.assign(process.env, addonEnvironment(process.env));
if (process.platform === 'linux' && existsSync(BLIS)) preload(BLIS);

export const core: MlxCore = loadAddon();

/** Returns the version of node-mlx. */
export const addonVersion = (): string =>
  (createRequire(__filename)('@frost-beta/mlx/package.json') as { readonly version: string }).version;

/** Whether the machine has a Metal GPU. */
export const hasGpu = core.metal.isAvailable();
// For an addon with a GPU on Linux, where addonEnvironment turns compiling off for the CPU.
if (hasGpu && canCompile) core.enableCompile?.();

/** Returns Metal's description of its GPU; undefined without a GPU, or if the addon was built without the function. */
export function gpuFacts(): Readonly<Record<string, unknown>> | undefined {
  return hasGpu ? core.metal.deviceInfo?.() : undefined;
}

/**
 * Loads a library permanently, so that the addon uses it in place of another with the same name. With few rows BLIS is
 * about twice as fast as OpenBLAS, which packs the weights for each product (docs/internals/results.md).
 */
function preload(library: string): void {
  const { RTLD_NOW, RTLD_GLOBAL } = constants.dlopen;
  const RTLD_NODELETE = 0x1000;
  try {
    process.dlopen({ exports: {} }, library, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  } catch {
    // Always throws, as it is no Node addon; the library stays loaded. If it could not be loaded, the addon uses
    // OpenBLAS.
  }
}

function loadAddon(): MlxCore {
  try {
    const addon = createRequire(__filename)('@frost-beta/mlx') as { core: MlxCore };
    return addon.core;
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? cause.name) : String(cause);
    throw new UserError(
      `The native MLX addon for ${process.platform}-${process.arch} does not load (${reason}). ` +
        'Run "npm run setup" in a clone: it installs what is missing or says which command does. ' +
        'If you have no clone, reinstall Flashline.',
      { cause },
    );
  }
}
