// Makes sure that @frost-beta/mlx has a binary for this platform and that it loads. Runs the package's install
// script, which downloads the binary: .npmrc disables install scripts, and the npm package contains only linux-x64.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, run, say, script, SetupError } from './command.mjs';
import { installBlis, installOpenBlas, missingLibrary } from './blas.mjs';

const PACKAGE = '@frost-beta/mlx';
const BINARY = 'build/Release/mlx.node';
const METALLIB = 'build/Release/mlx.metallib';

const ELF = 0x7f454c46;
const ELF_MACHINES = new Map([
  [62, 'x64'],
  [183, 'arm64'],
]);
const MACH_O_64 = 0xfeedfacf;
const MACH_O_CPUS = new Map([
  [0x01000007, 'x64'],
  [0x0100000c, 'arm64'],
]);

/** Returns the `platform-arch` of a binary from its first 20 bytes; undefined for any other file. */
function binaryPlatform(header) {
  if (header.length < 20) return undefined;
  if (header.readUInt32BE(0) === ELF)
    return `linux-${ELF_MACHINES.get(header.readUInt16LE(18)) ?? 'unknown'}`;
  if (header.readUInt32LE(0) === MACH_O_64)
    return `darwin-${MACH_O_CPUS.get(header.readUInt32LE(4)) ?? 'unknown'}`;
  return undefined;
}

/** Returns the problem of the package's binary for `platform`, in words; undefined if there is none. */
export function binaryProblem(folder, platform) {
  const found = binaryPlatform(readHeader(path.join(folder, BINARY)));
  if (found === undefined) return 'no binary';
  if (found !== platform) return `a binary for ${found}`;
  if (platform === 'darwin-arm64' && !fs.existsSync(path.join(folder, METALLIB)))
    return 'no mlx.metallib beside it';
  return undefined;
}

/** Downloads the binary and installs system libraries as needed to load the addon. Throws if it does not load. */
export function ensureNative() {
  const platform = `${process.platform}-${process.arch}`;
  const folder = path.join(root, 'node_modules', PACKAGE);
  if (!fs.existsSync(path.join(folder, 'package.json')))
    throw new SetupError(`${PACKAGE} is not in node_modules. Run "npm run setup", which installs it.`);
  if (binaryProblem(folder, platform) !== undefined) download(folder, platform);
  let loaded = load();
  const missing = loaded.ok ? undefined : missingLibrary(loaded.output);
  if (missing !== undefined) {
    installOpenBlas(missing);
    loaded = load();
  }
  const { ok, output, status } = loaded;
  if (!ok) {
    const remedy =
      'Read the loader error above. If a file is damaged, delete node_modules and run "npm run setup" again.';
    throw new SetupError(`${PACKAGE} does not load on ${platform} (${status}). ${remedy}`, output);
  }
  installBlis();
}

/** Loads the addon in a child process: a bad binary can crash the process, and a loaded one stays loaded. */
function load() {
  return run(process.execPath, ['-e', `require('${PACKAGE}')`]);
}

function download(folder, platform) {
  say(`downloading the native MLX binary for ${platform}`);
  const { ok, output } = run(process.execPath, ['install.js'], { cwd: folder });
  const problem = binaryProblem(folder, platform);
  if (ok && problem === undefined) return;
  // Remove a partial download: it already has the right magic number, so the next run would consider it complete.
  for (const file of [BINARY, METALLIB]) fs.rmSync(path.join(folder, file), { force: true });
  const binary = `a native MLX binary for ${platform} from github.com/frost-beta/node-mlx`;
  const remedy =
    'check that this platform is released there and the network works, then run "npm run setup" again';
  throw new SetupError(`Expected ${binary}, got ${problem ?? 'an incomplete download'}; ${remedy}`, output);
}

function readHeader(file) {
  try {
    const descriptor = fs.openSync(file);
    const header = Buffer.alloc(20);
    const length = fs.readSync(descriptor, header);
    fs.closeSync(descriptor);
    return header.subarray(0, length);
  } catch {
    return Buffer.alloc(0);
  }
}

if (fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) script(ensureNative);
