// Creates the software bill of materials of a VSIX, in CycloneDX: npm's data about its packages, the parts of the
// native addon, and the checksums of its binaries. The same input gives the same bytes.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { runNpm, SetupError } from './command.mjs';

/** Returns the bill of materials. `packages` and `parts` come from thirdParty.mjs; `binaries` are paths. */
export function sbomOf({ packages, parts, binaries, name }) {
  const { metadata, components, dependencies, ...bom } = npmSbom();
  delete bom.serialNumber; // random
  delete metadata.timestamp;
  const { 'bom-ref': self, version } = metadata.component;
  const shipped = new Set([self, ...packages.map(reference)]);
  const listed = components.filter((component) => shipped.has(component['bom-ref']));
  const listedReferences = new Set(listed.map((component) => component['bom-ref']));
  const missing = packages.map(reference).filter((name) => !listedReferences.has(name));
  if (missing.length > 0)
    throw new SetupError(`npm sbom does not list the bundled ${missing.join(', ')}. Run "npm ci".`);
  return {
    ...bom,
    metadata: { ...metadata, component: { 'bom-ref': self, type: 'application', name, version } },
    components: [...listed, ...parts.map(componentOf), ...binaries.map(fileOf)],
    dependencies: dependencies
      .filter(({ ref }) => shipped.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => shipped.has(name)) })),
  };
}

/** Lists all packages with npm, since `--omit=dev` omits those that development uses too (npm/cli issue 7909). */
function npmSbom() {
  const { ok, stdout, output, status } = runNpm(['sbom', '--sbom-format=cyclonedx']);
  if (ok) return JSON.parse(stdout);
  throw new SetupError(`npm sbom failed (${status}). Fix the errors that npm reports above.`, output);
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
