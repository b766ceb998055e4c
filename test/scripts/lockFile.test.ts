// Tests package-lock.json and package.json: every package has an exact version, the address of npm's registry and a
// checksum.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

interface Locked {
  readonly packages: Record<string, { version: string; resolved?: string; integrity?: string }>;
}

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

describe('the lock file', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Locked;
  const entries = Object.entries(packages).filter(([folder]) => folder !== '');

  it('locks each package with its registry address and a checksum', () => {
    assert.ok(entries.length > 100);
    for (const [folder, { version, resolved, integrity }] of entries) {
      const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const file = `${name.slice(name.lastIndexOf('/') + 1)}-${version}.tgz`;
      assert.equal(resolved, `https://registry.npmjs.org/${name}/-/${file}`, folder);
      assert.match(integrity ?? 'none', /^sha512-[A-Za-z0-9+/]{86}==$/, folder);
    }
  });

  it('locks the exact versions of package.json', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      assert.match(version, /^\d+\.\d+\.\d+$/, name);
      assert.equal(packages[`node_modules/${name}`]?.version, version, name);
    }
  });
});
