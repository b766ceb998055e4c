// Bundles the CLI, the language server, the encoding worker, the watchdog and the extension into dist/, one file
// each, for Node 20. `--watch` rebuilds on change; `--production FOLDER` writes minified bundles without maps into
// FOLDER instead, and inputs.json with the names of all files that are in them. Development files go into dist/bench/,
// and not into production: run.js, the commands that dist/cli.js loads from there, and a script that bench/start
// preloads. Prints only warnings and errors, unless watching.
import fs from 'node:fs';
import path from 'node:path';
import esbuild from 'esbuild';

const ADDON = '@frost-beta/mlx'; // native: it must stay a package on disk
/** Modules with a top-level await, which a CommonJS bundle cannot contain. */
const CHARTS = ['vega', 'vega-lite'];

const watch = process.argv.includes('--watch');
const production = process.argv.includes('--production');
const DIST = production ? path.resolve(process.argv[process.argv.indexOf('--production') + 1]) : 'dist';
const CLI = path.join(DIST, 'cli.js');

const bundles = [
  { entry: 'server/cli/main.ts', outfile: CLI, external: [ADDON], banner: { js: '#!/usr/bin/env node' } },
  { entry: 'server/programs/main.ts', outfile: path.join(DIST, 'server.js'), external: [ADDON] },
  {
    entry: 'server/models/text/encodingWorker.ts',
    outfile: path.join(DIST, 'encodingWorker.js'),
    external: [],
  },
  { entry: 'server/remote/watchdog.ts', outfile: path.join(DIST, 'watchdog.js'), external: [] },
  { entry: 'src/extension.ts', outfile: path.join(DIST, 'extension.js'), external: ['vscode'] },
];

if (!production) {
  const folder = path.join(DIST, 'bench');
  bundles.push(
    { entry: 'bench/benchCommands.ts', outfile: path.join(folder, 'benchCommands.js'), external: [ADDON] },
    { entry: 'bench/run.ts', outfile: path.join(folder, 'run.js'), external: [ADDON, ...CHARTS] },
    { entry: 'bench/start/reportMarks.ts', outfile: path.join(folder, 'reportMarks.js'), external: [ADDON] },
  );
}

process.chdir(import.meta.dirname);

/** Makes the CLI executable. npm does that for the bin of an installed package, but not in a clone. */
const executable = {
  name: 'executable',
  setup: ({ onEnd }) => onEnd(({ errors }) => void (errors.length === 0 && fs.chmodSync(CLI, 0o755))),
};

const contexts = await Promise.all(
  bundles.map(({ entry, outfile, external, banner = {} }) =>
    esbuild.context({
      entryPoints: [entry],
      outfile,
      external,
      banner,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      sourcemap: production ? false : 'linked',
      // Error names and the CLI's messages use class names, which minifying would change.
      keepNames: true,
      minify: production,
      metafile: production,
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
  else if (production) {
    const inputs = results.flatMap(({ value }) => Object.keys(value.metafile.inputs));
    fs.writeFileSync(path.join(DIST, 'inputs.json'), JSON.stringify(inputs));
  }
}
