// Bundles the CLI, the language server and the extension into dist/, one file each, for Node 20.
// `--watch` rebuilds on change, `--production` minifies. Silent but for warnings and errors, unless watching.
import fs from 'node:fs';
import esbuild from 'esbuild';

const ADDON = '@frost-beta/mlx'; // native: it must stay a package on disk
const CLI = 'dist/cli.js';

const bundles = [
  { entry: 'server/cli/main.ts', outfile: CLI, external: [ADDON], banner: { js: '#!/usr/bin/env node' } },
  { entry: 'server/main.ts', outfile: 'dist/server.js', external: [ADDON], optional: true },
  { entry: 'src/extension.ts', outfile: 'dist/extension.js', external: ['vscode'], optional: true },
];

const watch = process.argv.includes('--watch');
process.chdir(import.meta.dirname);

/** `npm` makes a bin executable when it installs a package, but nobody does in a clone. */
const executable = {
  name: 'executable',
  setup: ({ onEnd }) => onEnd(({ errors }) => void (errors.length === 0 && fs.chmodSync(CLI, 0o755))),
};

const contexts = await Promise.all(
  bundles
    .filter(({ entry, optional }) => !optional || fs.existsSync(entry))
    .map(({ entry, outfile, external, banner = {} }) =>
      esbuild.context({
        entryPoints: [entry],
        outfile,
        external,
        banner,
        bundle: true,
        platform: 'node',
        format: 'cjs',
        target: 'node20',
        sourcemap: 'linked',
        // Error names and the CLI's messages use class names, which minifying would change.
        keepNames: true,
        minify: process.argv.includes('--production'),
        logLevel: watch ? 'info' : 'warning',
        plugins: outfile === CLI ? [executable] : [],
      }),
    ),
);

if (watch) {
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  const results = await Promise.allSettled(contexts.map((context) => context.rebuild()));
  await Promise.all(contexts.map((context) => context.dispose()));
  // esbuild has printed the errors already.
  if (results.some(({ status }) => status === 'rejected')) process.exitCode = 1;
}
