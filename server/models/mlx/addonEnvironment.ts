// Environment variables of the native addon and its libraries, which read them once, when they are loaded.
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** BLIS's number for its AVX2 kernels, which are fast with few rows; its AVX-512 kernels are not. */
const ZEN3 = '6';
/**
 * Operations in a Metal command buffer. MLX 0.13 commits a buffer every 10 operations. These are the values of MLX
 * 0.23, which decodes 1 to 26 % faster with them (mlx pull request 1864). Temporaries of a buffer live until it
 * completes.
 */
const OPERATIONS = { base: '40', large: '50' } as const;

interface Host {
  readonly platform?: NodeJS.Platform;
  /** The system's name for the processor. */
  readonly chip?: string;
  readonly hasAvx2?: boolean;
}

/** Returns the variables that Flashline sets, without those that are already in `env`. */
export function addonEnvironment(
  env: NodeJS.ProcessEnv,
  { platform = process.platform, chip = cpus()[0]?.model ?? '', hasAvx2 = detectAvx2() }: Host = {},
): Record<string, string> {
  const variables: Record<string, string> = {
    // Threads that share a product spin while they wait for each other: the product takes up to ten times as long while
    // other programs run. Long passes use more cores through inStreams.ts instead.
    OPENBLAS_NUM_THREADS: '1',
    BLIS_NUM_THREADS: '1',
  };
  if (platform === 'darwin') variables['MLX_MAX_OPS_PER_BUFFER'] = operationsPerBuffer(chip);
  // On a CPU, mx.compile starts g++ at run time, and aborts the process if there is none.
  else variables['MLX_DISABLE_COMPILE'] = '1';
  // On processors that it does not know yet, BLIS uses its plain C kernels, which are half as fast.
  if (hasAvx2) variables['BLIS_ARCH_TYPE'] = ZEN3;
  return Object.fromEntries(Object.entries(variables).filter(([name]) => env[name] === undefined));
}

function operationsPerBuffer(chip: string): string {
  return / (Max|Ultra)$/.test(chip) ? OPERATIONS.large : OPERATIONS.base;
}

function detectAvx2(): boolean {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync('/proc/cpuinfo')) return false;
  const [, flags = ''] = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8')) ?? [];
  return ['avx2', 'fma'].every((flag) => flags.split(' ').includes(flag));
}
