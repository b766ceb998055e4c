// Loads a TypeScript module of the tests for a script. Bundles it, without packages, into .vscode-web/, since each test
// run overwrites out/.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import esbuild from 'esbuild';
import { root } from './command.mjs';

export async function loadTypeScript(entry) {
  const outfile = path.join(root, '.vscode-web/scripts', `${path.basename(entry, '.ts')}.js`);
  await esbuild.build({
    entryPoints: [path.join(root, entry)],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'warning',
  });
  return await import(pathToFileURL(outfile).href);
}
