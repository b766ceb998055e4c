// npm run fuzz: compiles the tests and runs the harness of test/nightly/fuzz/ with the given arguments.
import process from 'node:process';

process.setSourceMapsEnabled(true);
await import('./build.mjs');
await import('../out/test/nightly/fuzz/main.js');
