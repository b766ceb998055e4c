// npm run fuzz: compiles the tests and runs the harness of test/fuzz/ with the given arguments.
import process from 'node:process';

process.setSourceMapsEnabled(true);
await import('./build.mjs');
await import('../out/test/fuzz/main.js');
