// Tests scripts/thirdParty.mjs and scripts/sbom.mjs: packages of the VSIX are listed with their licences, and a licence
// that is not allowed, or has no text, stops the packaging.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../support/temporaryFolder';

interface Part {
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
  readonly url: string;
  readonly text: string | undefined;
}

interface Scripts {
  packagesOf(files: readonly string[]): Part[];
  nativeParts(): Part[];
  noticesOf(parts: readonly Part[]): string;
  sbomOf(contents: { packages: Part[]; parts: Part[]; binaries: string[]; name: string }): {
    components: { name: string; version?: string; licenses?: unknown[]; hashes?: unknown[] }[];
    dependencies: { ref: string; dependsOn: string[] }[];
  };
}

const ADDON = 'node_modules/@frost-beta/mlx';

describe('third parties', () => {
  let scripts: Scripts;
  let inputs: string[];
  let packages: Part[];
  before(async () => {
    const folder = temporaryFolder();
    execFileSync(process.execPath, ['esbuild.mjs', '--production', folder]);
    inputs = JSON.parse(readFileSync(join(folder, 'inputs.json'), 'utf8')) as string[];
    // The scripts are ES modules outside out/, the folder of the compiled tests.
    const loaded = ['thirdParty', 'sbom'].map(
      (name) => import(pathToFileURL(resolve(`scripts/${name}.mjs`)).href) as Promise<Scripts>,
    );
    scripts = Object.assign({}, ...(await Promise.all(loaded))) as Scripts;
    packages = scripts.packagesOf([ADDON, ...inputs]);
  });

  it('lists all bundled packages as dependencies, which npm audit --omit=dev checks', () => {
    const { packages: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { version: string; dev?: boolean }>;
    };
    const bundled = inputs.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
    assert.deepEqual(new Set(packages.map(({ name }) => name)), new Set(['@frost-beta/mlx', ...bundled]));
    const dependencies = Object.entries(locked).filter(([, { dev }]) => dev !== true);
    for (const { name, version } of packages) {
      const entries = dependencies.filter(([folder]) => folder.endsWith(`node_modules/${name}`));
      assert.ok(
        entries.some(([, entry]) => entry.version === version),
        `${name} ${version} is not a dependency`,
      );
    }
  });

  it('has an allowed licence with its text for each package', () => {
    const parts = [...packages, ...scripts.nativeParts()];
    const notices = scripts.noticesOf(parts);
    for (const { name, version, license } of parts)
      assert.ok(notices.includes(`\n${name} ${version} (${license})\n`), name);
    for (const holder of ['Apple Inc.', 'zcbenz', 'Max-Planck-Society', 'Microsoft', 'Hugging Face'])
      assert.match(notices, new RegExp(`Copyright .*${holder}`));
    const server = readFileSync('node_modules/vscode-languageserver/thirdpartynotices.txt', 'utf8');
    assert.ok(notices.includes(server.trim()), 'the notices of a package about its own parts');
  });

  it('refuses a package whose licence is missing, is not allowed or has no text', () => {
    const part: Part = { name: 'left', version: '1.0.0', license: 'MIT', url: 'https://left', text: 'Free.' };
    const notices = (...parts: Part[]) => scripts.noticesOf(parts);
    assert.match(notices(part), /- left 1\.0\.0: MIT\n[^]*\nleft 1\.0\.0 \(MIT\)\n.*\n\nFree\.\n$/);
    for (const license of ['GPL-3.0-only', 'MIT OR GPL-3.0-only', 'UNLICENSED', undefined])
      assert.throws(() => notices(part, { ...part, license }), /Expected left under .*MIT, got /);
    const withoutText = { ...part, text: undefined };
    assert.throws(() => notices(withoutText), /The licence of left has no text\. Write it to /);
  });

  it('lists packages and binaries in the bill of materials with checksums', () => {
    const parts = scripts.nativeParts();
    const binary = join(ADDON, 'build/Release/mlx.node');
    const contents = { packages, parts, binaries: [binary], name: 'flashline' };
    const { components, dependencies } = scripts.sbomOf(contents);
    const names = (items: readonly { name: string; version?: string }[]) =>
      items.map(({ name, version }) => `${name} ${version}`).sort();
    assert.deepEqual(names(components), names([...packages, ...parts, { name: 'mlx.node' }]));
    for (const { name, hashes } of components)
      assert.ok(hashes !== undefined || parts.some((part) => part.name === name), `${name} has no checksum`);
    assert.ok(
      dependencies.some(({ ref, dependsOn }) => ref.startsWith('flashline@') && dependsOn.length > 5),
    );
    const strange = { name: 'not-installed', version: '1.0.0', license: 'MIT', url: '', text: '' };
    assert.throws(
      () => scripts.sbomOf({ ...contents, packages: [strange] }),
      /npm sbom does not list the bundled not-installed@/,
    );
  });
});
