// Installs node-llama-cpp with its prebuilt llama.cpp into a folder of its own, outside of this repository.
// Nothing is compiled, and nothing but npm packages is downloaded.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../../server/rules/inputError';

export const NODE_LLAMA_CPP = '3.22.1';

/** node-llama-cpp's packages of binaries without GPU support, or for the GPU that every such machine has. */
const BINARIES: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'mac-x64',
  'darwin-arm64': 'mac-arm64-metal',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
};

export interface NpmOutcome {
  readonly status: number | null;
  readonly output: string;
}

export type Npm = (args: readonly string[], folder: string) => NpmOutcome;

/** Does nothing if an earlier run has installed everything. Throws InputError when npm fails, as it does offline. */
export function installLlama(folder: string, progress: (text: string) => void, npm: Npm = runNpm): void {
  // npm writes this list when it has finished.
  if (existsSync(join(folder, 'node_modules', '.package-lock.json'))) return;
  const platform = `${process.platform}-${process.arch}`;
  const binary = BINARIES[platform];
  if (binary === undefined) {
    throw new InputError({
      expected: `a platform with llama.cpp binaries (${Object.keys(BINARIES).join(', ')})`,
      got: platform,
      remedy: 'run the comparison on one of these',
    });
  }
  progress(`installing node-llama-cpp ${NODE_LLAMA_CPP} into ${folder}`);
  mkdirSync(folder, { recursive: true });
  const packages = ['node-llama-cpp', `@node-llama-cpp/${binary}`].map((name) => `${name}@${NODE_LLAMA_CPP}`);
  // The optional packages are binaries for GPUs, of some hundred megabytes.
  const packageOptions = [
    '--prefix',
    folder,
    '--omit=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ];
  // With npm's default retries a person without a network would wait for minutes.
  const networkOptions = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000'];
  const { status, output } = npm(['install', ...packageOptions, ...networkOptions, ...packages], folder);
  if (status === 0) return;
  throw new InputError({
    expected: `npm to install ${packages.join(' and ')} into ${folder}`,
    got: lastLines(output) || `exit code ${String(status)}`,
    remedy: 'connect to the npm registry and try again',
  });
}

/** The release of llama.cpp that an installed package was built from. */
export function llamaRelease(folder: string): string {
  const file = join(folder, 'node_modules', 'node-llama-cpp', 'llama', 'llama.cpp.info.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly tag: string }).tag;
}

function runNpm(args: readonly string[], folder: string): NpmOutcome {
  const script = process.env['npm_execpath'] ?? '';
  // Inside `npm run`, use the npm that is running, which need not be the one on the PATH.
  const [program, first] = script.endsWith('npm-cli.js') ? [process.execPath, [script]] : ['npm', []];
  const { status, stdout, stderr, error } = spawnSync(program, [...first, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, output: error?.message ?? `${stdout}${stderr}` };
}

/** npm's last lines tell what went wrong. */
function lastLines(output: string): string {
  const lines = output.split('\n').filter((line) => /^npm (ERR!|error) [^A]/.test(line));
  return lines
    .slice(0, 3)
    .map((line) => line.replace(/^npm \S+ /, ''))
    .join(' ');
}
