// Loads the native addon once, with the settings that must be in place before it starts.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { InputError } from '../../rules/inputError';
import { addonEnvironment } from './addonEnvironment';
import type { MlxCore } from './addonTypes';

const BLIS = '/usr/lib/x86_64-linux-gnu/blis-openmp/libblas.so.3';

const mayCompile = process.env['MLX_DISABLE_COMPILE'] === undefined;
Object.assign(process.env, addonEnvironment(process.env));
if (process.platform === 'linux' && existsSync(BLIS)) preload(BLIS);

export const core: MlxCore = loadAddon();

/** The release of node-mlx. */
export const addonVersion = (): string =>
  (createRequire(__filename)('@frost-beta/mlx/package.json') as { readonly version: string }).version;

/** Whether there is a Metal GPU, chosen or not. */
export const hasGpu = core.metal.isAvailable();
if (hasGpu && mayCompile) core.enableCompile?.();

/** What Metal says of its GPU; undefined where there is none, or where the addon was built without asking. */
export function gpuFacts(): Readonly<Record<string, unknown>> | undefined {
  return hasGpu ? core.metal.deviceInfo?.() : undefined;
}

/**
 * Loads a library for good, so that the addon uses it when it needs one of the same name. OpenBLAS packs the weights
 * for each product, BLIS does not for few rows: 1.3 to 1.5 times faster there (docs/internals/results.md).
 */
function preload(library: string): void {
  const { RTLD_NOW, RTLD_GLOBAL } = constants.dlopen;
  const RTLD_NODELETE = 0x1000;
  try {
    process.dlopen({ exports: {} }, library, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  } catch {
    // Always fails, as it is no Node addon. If it was loaded it stays loaded; if not, the addon takes the usual one.
  }
}

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
