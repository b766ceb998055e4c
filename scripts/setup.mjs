// Sets up a clone for the CLI and the tests: installs packages and the native addon, and builds dist/. Prints a line
// for each necessary step, and nothing if there is none. `--check` tests the addon again.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { root, run, runNpm, say, script, SetupError } from './command.mjs';
import { ensureNative } from './native.mjs';

const STAMP = path.join(root, 'node_modules/.flashline-setup');
const BUILT = path.join(root, 'dist/cli.js');
const SOURCES = ['server', 'src', 'bench', 'esbuild.mjs', 'package.json', 'package-lock.json'];

script(() => {
  checkNode();
  // The stamp records two stages: if only the check of the addon fails, the next run keeps the packages.
  const installed = createHash('sha256')
    .update(fs.readFileSync(inRoot('package-lock.json')))
    .digest('hex');
  const ready = `${installed} native`;
  if (!readStamp().startsWith(installed)) {
    installPackages();
    fs.writeFileSync(STAMP, installed);
  }
  if (readStamp() !== ready || process.argv.includes('--check')) {
    ensureNative();
    fs.writeFileSync(STAMP, ready);
  }
  if (isStale()) build();
});

function checkNode() {
  const required = JSON.parse(fs.readFileSync(inRoot('package.json'), 'utf8')).engines.node;
  const [major, minor] = /(\d+)\.(\d+)/.exec(required).slice(1).map(Number);
  const [haveMajor, haveMinor] = process.versions.node.split('.').map(Number);
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return;
  const remedy = 'install a newer Node from https://nodejs.org';
  throw new SetupError(`Expected Node ${required}, got ${process.versions.node}; ${remedy}`);
}

function installPackages() {
  say('installing packages (npm ci)');
  // Development packages are required even if the shell has NODE_ENV=production.
  const { ok, output, status } = runNpm(['ci', '--include=dev', '--no-audit', '--no-fund']);
  const remedy = 'Fix the errors that npm reports above and run "npm run setup" again.';
  if (!ok) throw new SetupError(`npm ci failed (${status}). ${remedy}`, output);
}

function build() {
  say('building dist/');
  const { ok, output, status } = run(process.execPath, ['esbuild.mjs']);
  const remedy = 'Fix the build errors above and run "npm run setup" again.';
  if (!ok) throw new SetupError(`esbuild.mjs failed (${status}). ${remedy}`, output);
}

function isStale() {
  if (!fs.existsSync(BUILT)) return true;
  const newestSource = Math.max(...SOURCES.flatMap((name) => modificationTimes(inRoot(name))));
  return newestSource > Math.max(...modificationTimes(path.dirname(BUILT)));
}

/** Returns the times of a file, or of a folder and its contents; a deleted file changes only its folder's time. */
function modificationTimes(file) {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [stat.mtimeMs];
  const inside = fs.readdirSync(file).flatMap((name) => modificationTimes(path.join(file, name)));
  return [stat.mtimeMs, ...inside];
}

function readStamp() {
  return fs.existsSync(STAMP) ? fs.readFileSync(STAMP, 'utf8') : '';
}

function inRoot(name) {
  return path.join(root, name);
}
