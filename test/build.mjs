// Compiles server/, src/, bench/ and test/ into out/ for mocha, one CommonJS file with a source map per source. Not
// bundled, so that tests load single modules and coverage belongs to source files.
import fs from 'node:fs';
import path from 'node:path';
import esbuild from 'esbuild';

process.chdir(path.resolve(import.meta.dirname, '..'));

const SOURCES = ['server', 'src', 'bench'];
/** Code that models complete, and files that tests read. */
const MATERIAL = /^(bench\/holes\/(files|projects)|bench\/typing\/programs|test\/fixtures)\//;

// Removes old output, as tests of deleted files would still run.
fs.rmSync('out', { recursive: true, force: true });

// Dynamic imports of the sources name modules without an extension, which only require finds; those of the tests name
// ES modules.
await compile(SOURCES, { 'dynamic-import': false });
await compile(['test'], {});

// Modules that load only in VS Code; sources that import them get the fakes of the tests. VS Code never looks here.
fs.mkdirSync('out/node_modules/vscode-languageclient', { recursive: true });
writeStandIn('vscode.js', 'fakeVscode');
writeStandIn('vscode-languageclient/node.js', 'fakeLanguageClient');

function writeStandIn(module, file) {
  const source = path.resolve(`out/test/src/support/${file}.js`);
  fs.writeFileSync(`out/node_modules/${module}`, `module.exports = require(${JSON.stringify(source)});\n`);
}

async function compile(folders, supported) {
  const entryPoints = folders
    .flatMap((folder) => fs.readdirSync(folder, { recursive: true }).map((file) => path.join(folder, file)))
    .filter((file) => file.endsWith('.ts') && !MATERIAL.test(file));
  await esbuild.build({
    entryPoints,
    outdir: 'out',
    outbase: '.',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    supported,
    sourcemap: true,
    logLevel: 'warning',
  });
}
