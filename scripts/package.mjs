// node scripts/package.mjs [TARGET] [FOLDER]: writes flashline-TARGET-VERSION.vsix into FOLDER (default: the
// repository) for the platform TARGET (default: this one), whose native addon must be in node_modules, and its bill of
// materials with the extension .cdx.json. The same sources give the same bytes: see packageCheck.mjs.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { root, run, say, script, SetupError } from './command.mjs';
import { binaryProblem } from './native.mjs';
import { packagedPage, packagedReadme } from './packagedPages.mjs';
import { sbomOf } from './sbom.mjs';
import { nativeParts, noticesOf, packagesOf } from './thirdParty.mjs';

const ADDON = 'node_modules/@frost-beta/mlx';
const ADDON_FILES = ['package.json', 'LICENSE', 'lib/index.js', 'dist', 'build/Release'];
/** Files to copy, of which .vscodeignore then selects those that users need. */
const FILES = ['package.json', '.vscodeignore', 'README.md', 'CHANGELOG.md', 'LICENSE', 'docs', 'media'];
const PLATFORMS = ['linux-x64', 'darwin-arm64'];
/** Earliest time that a ZIP can store, in seconds since 1970. */
const EARLIEST_TIME = '315532800';

const { name, version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
const [target = `${process.platform}-${process.arch}`, folder = root] = process.argv.slice(2);
const out = path.resolve(folder, `${name}-${target}-${version}.vsix`);

await script(async () => {
  checkTarget();
  // With this variable, vsce sorts all files and stamps them with this time. A ZIP stores no time zone, so set one.
  process.env.SOURCE_DATE_EPOCH ??= EARLIEST_TIME;
  process.env.TZ = 'UTC';
  // Build in another folder, so that dist/ does not change.
  const stage = fs.mkdtempSync(path.join(os.tmpdir(), 'flashline-package-'));
  try {
    fill(stage);
    addNotices(stage);
    setModes(stage);
    await createVSIX({
      cwd: stage,
      packagePath: out,
      target,
      dependencies: false,
      rewriteRelativeLinks: false,
      allowMissingRepository: true,
    });
  } finally {
    fs.rmSync(stage, { recursive: true });
  }
  say(`${out} (${(fs.statSync(out).size / 1e6).toFixed(0)} MB)`);
});

function checkTarget() {
  if (!PLATFORMS.includes(target)) {
    const remedy = 'name one of these, or none for this machine';
    throw new SetupError(`Expected a target of ${PLATFORMS.join(', ')}, got ${target}; ${remedy}`);
  }
  const problem = binaryProblem(path.join(root, ADDON), target);
  if (problem === undefined) return;
  const remedy = `run "npm run setup && npm run package" on a ${target} machine`;
  throw new SetupError(`Expected the native addon for ${target} in ${ADDON}, got ${problem}; ${remedy}`);
}

/** Copies and builds the files of the VSIX, except for the notices. */
function fill(stage) {
  const names = fs
    .readdirSync(root)
    .filter((name) => FILES.includes(name) || /^package\.nls.*json$/.test(name));
  for (const name of names) fs.cpSync(path.join(root, name), path.join(stage, name), { recursive: true });
  fillPages(stage);
  for (const name of ADDON_FILES)
    fs.cpSync(path.join(root, ADDON, name), path.join(stage, 'dist', ADDON, name), { recursive: true });
  const { ok, output, status } = run(process.execPath, [
    'esbuild.mjs',
    '--production',
    path.join(stage, 'dist'),
  ]);
  if (!ok) throw new SetupError(`esbuild.mjs failed (${status}). Fix the build errors above.`, output);
}

/** Writes licences of third parties into the VSIX, and the bill of materials next to it. */
function addNotices(stage) {
  const inputs = JSON.parse(fs.readFileSync(path.join(stage, 'dist/inputs.json'), 'utf8'));
  const packages = packagesOf([ADDON, ...inputs]);
  const parts = nativeParts();
  fs.writeFileSync(path.join(stage, 'THIRD_PARTY_NOTICES.txt'), noticesOf([...packages, ...parts]));
  const release = path.join(root, ADDON, 'build/Release');
  const binaries = fs.readdirSync(release).map((name) => path.join(release, name));
  const sbom = sbomOf({ packages, parts, binaries, name });
  fs.writeFileSync(out.replace(/vsix$/, 'cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
}

/** Sets fixed file modes, since those of the sources depend on the umask. */
function setModes(stage) {
  for (const name of fs.readdirSync(stage, { recursive: true })) {
    const file = path.join(stage, name);
    if (fs.statSync(file).isFile())
      fs.chmodSync(file, file === path.join(stage, 'dist/cli.js') ? 0o755 : 0o644);
  }
}

/** Converts the copies of README.md and docs/ to their form for the VSIX. */
function fillPages(stage) {
  const convert = (page, packaged) => {
    const file = path.join(stage, page);
    fs.writeFileSync(file, packaged(fs.readFileSync(file, 'utf8'), path.dirname(file)));
  };
  convert('README.md', packagedReadme);
  for (const page of fs.readdirSync(path.join(stage, 'docs'), { recursive: true }))
    if (page.endsWith('.md')) convert(path.join('docs', page), packagedPage);
}
