// Compiles the tests and runs mocha on them; extra arguments go to mocha (npm test -- --grep kv).
// Its last line is always "N passed, N failed": a crash, a hang or an empty run counts as a failure.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const HANG_MS = 20_000;
const MOCHA = 'node_modules/mocha/bin/mocha.js';
const MOCHA_ARGS = [
  '--timeout',
  '120000',
  '--fail-zero',
  '--reporter',
  'test/tally.mjs',
  'out/test/**/*.test.js',
];

process.chdir(path.resolve(import.meta.dirname, '..'));
const count = { pass: 0, fail: 0 };

try {
  await import('./build.mjs');
  if (!(await runMocha(process.argv.slice(2))) && count.fail === 0) count.fail = 1;
} catch (error) {
  // esbuild has printed what it could not compile.
  if (error.errors === undefined) console.error(error);
  count.fail += 1;
}
console.log(`${count.pass} passed, ${count.fail} failed`);
process.exitCode = count.fail === 0 ? 0 : 1;

/** Counts what the reporter sends until mocha ends; true when it ended by itself and content. */
async function runMocha(extra) {
  const mocha = fork(MOCHA, [...MOCHA_ARGS, ...extra], { execArgv: ['--enable-source-maps'] });
  let finished = false;
  let hung;
  mocha.on('message', (event) => {
    if (event !== 'end') return void (count[event] += 1);
    finished = true;
    hung = setTimeout(() => {
      console.error(`The tests left something open: mocha still ran ${HANG_MS / 1000} s after the last one.`);
      mocha.kill('SIGKILL');
    }, HANG_MS);
  });
  const [code, signal] = await once(mocha, 'close');
  clearTimeout(hung);
  if (!finished) {
    console.error(`Mocha did not finish: it ended with ${signal ?? `exit code ${code}`}.`);
    count.fail += 1;
  }
  return code === 0;
}
