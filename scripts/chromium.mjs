// Finds a Chromium for the tests that run VS Code in a browser; on Debian, installs one if allowed.
import fs from 'node:fs';
import { installPackages } from './apt.mjs';
import { SetupError } from './command.mjs';

const PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Returns the path of a Chromium. CHROMIUM in the environment takes precedence and must exist if set. */
export function ensureChromium() {
  const chosen = process.env.CHROMIUM;
  if (chosen !== undefined) {
    if (fs.existsSync(chosen)) return chosen;
    const remedy = 'Set CHROMIUM to the program of a Chromium or Chrome.';
    throw new SetupError(`There is no browser at CHROMIUM=${chosen}. ${remedy}`);
  }
  return find() ?? install();
}

function install() {
  installPackages({
    problem: 'Chromium is missing',
    packages: ['chromium'],
    names: 'Chromium or Google Chrome, or set CHROMIUM to one',
    retryCommand: `npm run ${process.env.npm_lifecycle_event ?? 'test'}`,
  });
  return find();
}

function find() {
  return PATHS.find((path) => fs.existsSync(path));
}
