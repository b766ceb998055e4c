// Collects third-party software in the VSIX with its licences: packages in the bundles, the native addon, and libraries
// compiled into the addon. Fails for a licence that is not allowed. Texts that no package contains are in
// scripts/notices/.
import fs from 'node:fs';
import path from 'node:path';
import { root, SetupError } from './command.mjs';

const NOTICES = path.join(root, 'scripts/notices');
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
const LICENCE_FILE = /^licen[cs]e([.-]\w+)?$/i;
/** Matches files with a package's notices about third-party code in it. */
const NOTICE_FILE = /^(third-?party-?)?notices?(\.\w+)?$/i;
/** Licences that only require us to include their text and copyright notice. */
const ALLOWED = ['Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/** Returns the packages that contain these files, each once: `{ name, version, license, url, text }`. */
export function packagesOf(files) {
  const folders = new Set(files.flatMap((file) => PACKAGE.exec(file) ?? []));
  const packages = [...folders].map((folder) => {
    const { name, version, license, homepage } = readJson(path.join(root, folder, 'package.json'));
    const url = homepage ?? `https://www.npmjs.com/package/${name}`;
    const files = fs.readdirSync(path.join(root, folder));
    const texts = (pattern) =>
      files.filter((entry) => pattern.test(entry)).map((entry) => read(path.join(root, folder, entry)));
    const [text = notice(name)] = texts(LICENCE_FILE);
    const all = text && [text, ...texts(NOTICE_FILE)].join('\n\n');
    return [`${name}@${version}`, { name, version, license, url, text: all }];
  });
  return [...new Map(packages.sort(([a], [b]) => (a < b ? -1 : 1))).values()];
}

/** Returns the libraries compiled into the native addon 0.0.7, on any platform. */
export function nativeParts() {
  return readJson(path.join(NOTICES, 'nativeParts.json')).map((part) => ({
    ...part,
    text: notice(part.name),
  }));
}

/** Returns the text of THIRD_PARTY_NOTICES.txt. Throws for a part whose licence is not allowed or missing. */
export function noticesOf(parts) {
  const sections = parts.map(({ name, version, license, url, text }) => {
    if (!ALLOWED.includes(license)) {
      const remedy = 'do without it, or add the licence to scripts/thirdParty.mjs after reading it';
      throw new SetupError(`Expected ${name} under ${ALLOWED.join(', ')}, got ${license}; ${remedy}`);
    }
    if (text === undefined)
      throw new SetupError(`The licence of ${name} has no text. Write it to scripts/notices/${name}.txt.`);
    return `${name} ${version} (${license})\n${url}\n\n${text.trim()}\n`;
  });
  const names = parts.map(({ name, version, license }) => `- ${name} ${version}: ${license}`);
  return ['Flashline contains third-party software:\n', `${names.join('\n')}\n`, ...sections].join(
    `\n${'-'.repeat(80)}\n\n`,
  );
}

/** Returns the licence text in scripts/notices/; undefined if there is none. */
function notice(name) {
  const file = path.join(NOTICES, `${name}.txt`);
  return fs.existsSync(file) ? read(file) : undefined;
}

function read(file) {
  return fs.readFileSync(file, 'utf8');
}

function readJson(file) {
  return JSON.parse(read(file));
}
