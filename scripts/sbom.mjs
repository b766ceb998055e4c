// Creates the software bill of materials of a VSIX, in CycloneDX: npm's data about its packages, the parts of the
// native addon, and the checksums of its binaries. The same input gives the same bytes.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { runNpm, SetupError } from './command.mjs';

/** Returns the bill of materials. `packages` and `parts` come from thirdParty.mjs; `binaries` are paths. */
export function sbomOf({ packages, parts, binaries, name }) {
  const { metadata, components, dependencies, ...bom } = listOfNpm();
  delete bom.serialNumber; // random
  delete metadata.timestamp;
  const { 'bom-ref': self, version } = metadata.component;
  const shipped = new Set([self, ...packages.map(reference)]);
  const listed = components.filter((each) => shipped.has(each['bom-ref']));
  const missing = packages.filter((each) => !listed.some((one) => one['bom-ref'] === reference(each)));
  if (missing.length > 0) {
    const got = `none of ${missing.map(reference).join(', ')}`;
    throw new SetupError({ expected: 'npm sbom to list what is bundled', got, remedy: 'run "npm ci"' });
  }
  return {
    ...bom,
    metadata: { ...metadata, component: { 'bom-ref': self, type: 'application', name, version } },
    components: [...listed, ...parts.map(componentOf), ...binaries.map(fileOf)],
    dependencies: dependencies
      .filter(({ ref }) => shipped.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => shipped.has(each)) })),
  };
}

/** Lists all packages, since `--omit=dev` also omits those that development uses too (npm/cli issue 7909). */
function listOfNpm() {
  const { ok, stdout, output, status } = runNpm(['sbom', '--sbom-format=cyclonedx']);
  if (ok) return JSON.parse(stdout);
  const remedy = 'fix what npm reports above';
  throw new SetupError({ expected: 'npm sbom to list the packages', got: status, remedy, output });
}

function componentOf({ name, version, license, url }) {
  return {
    'bom-ref': reference({ name, version }),
    type: 'library',
    name,
    version,
    licenses: [{ license: { id: license } }],
    externalReferences: [{ type: 'website', url }],
  };
}

function fileOf(file) {
  const content = createHash('sha256').update(fs.readFileSync(file)).digest('hex');
  return { type: 'file', name: path.basename(file), hashes: [{ alg: 'SHA-256', content }] };
}

function reference({ name, version }) {
  return `${name}@${version}`;
}
