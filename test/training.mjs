// Runs the unit tests of the training code (Python) and reports each to its parent, as test/tally.mjs does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const TESTS = ['-m', 'unittest', 'discover', '-v', '-s', 'training/tests', '-t', 'training'];
/** End of a test's line in `unittest -v`; the docstring can come between the name and this. */
const RESULT = / \.\.\. (ok|FAIL|ERROR|expected failure|unexpected success)$/;
const GOOD = ['ok', 'expected failure'];

const flags = process.argv.slice(2);
const grepIndex = flags.findIndex((flag) => flag === '--grep' || flag === '-g');
const filter = grepIndex < 0 ? [] : ['-k', `*${flags[grepIndex + 1]}*`];

const started = Date.now();
const python = spawn(process.env.FLASHLINE_PYTHON, [...TESTS, ...filter], {
  stdio: ['ignore', 'ignore', 'pipe'],
  // Threads cost small tensors more time than they save, and VS Code starts at the same time.
  env: { ...process.env, OMP_NUM_THREADS: '1', PYTHONDONTWRITEBYTECODE: '1' },
});
const counts = { pass: 0, fail: 0 };
let lastResultAt = started;
for await (const line of createInterface({ input: python.stderr })) {
  const [, result] = RESULT.exec(line) ?? [];
  if (result === undefined) console.log(`  ${line}`);
  else {
    const event = GOOD.includes(result) ? 'pass' : 'fail';
    counts[event] += 1;
    process.send?.({ event, title: line.replace(RESULT, ''), ms: Date.now() - lastResultAt });
    lastResultAt = Date.now();
    console.log(`    ${event === 'pass' ? '✔' : '✖'} ${line}`);
  }
}
if (python.exitCode === null && python.signalCode === null) await once(python, 'close');
console.log(`  training: ${counts.pass} passing in ${Date.now() - started} ms`);
// A module that cannot be imported counts as a failed test, so a failing exit without failed tests is a crash.
if (python.exitCode === 0 || counts.fail > 0) process.send?.({ event: 'end' });
else {
  const ending = python.signalCode ?? `exit code ${python.exitCode}`;
  console.error(`Python ended with ${ending}, although no training test failed. See its output above.`);
}
process.exitCode = python.exitCode ?? 1;
process.disconnect?.();
