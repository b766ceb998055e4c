// Compiles the tests and runs their parts: unit (mocha), training (Python's unittest), host (mocha inside of VS Code),
// e2e (VS Code in a browser). node test/run.mjs [unit|training|host|e2e ...] [mocha arguments]; npm test -- --grep kv.
// Its last line is always "N passed, N failed": a crash, a hang or an empty run counts as a failure.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { SetupError } from '../scripts/command.mjs';
import { ensureChromium } from '../scripts/chromium.mjs';
import { ensureTorch } from '../scripts/torch.mjs';
import { ensureVscodeWeb } from '../scripts/vscodeWeb.mjs';

const HANG_MS = 20_000;
const MOCHA = 'node_modules/mocha/bin/mocha.js';
const MOCHA_ARGS = ['--timeout', '600000', '--reporter', 'test/tally.mjs'];

const PARTS = {
  unit: [MOCHA, ...MOCHA_ARGS, 'out/test/**/*.test.js', '--ignore', 'out/test/{host,e2e}/**'],
  training: ['test/training.mjs'],
  host: ['out/test/host/run.js'],
  e2e: [MOCHA, ...MOCHA_ARGS, '--slow', '5000', 'out/test/e2e/**/*.test.js'],
};

/** What a part needs from this machine, as its environment; installed on first use. */
const NEEDS = {
  training: () => ({ FLASHLINE_PYTHON: ensureTorch() }),
  host: editors,
  e2e: editors,
};

process.chdir(path.resolve(import.meta.dirname, '..'));
const words = process.argv.slice(2);
const firstOther = words.findIndex((word) => !Object.hasOwn(PARTS, word));
const chosen = firstOther < 0 ? words : words.slice(0, firstOther);
const extra = words.slice(chosen.length);
const count = { pass: 0, fail: 0 };

try {
  await import('./build.mjs');
  for (const name of chosen.length > 0 ? chosen : Object.keys(PARTS)) await runPart(name);
  if (count.pass + count.fail === 0) throw new Error('No test ran.');
} catch (error) {
  if (error instanceof SetupError) console.error(`${error.output}\n${error.message}`);
  // esbuild has printed what it could not compile.
  else if (error.errors === undefined) console.error(error);
  count.fail += 1;
}
console.log(`${count.pass} passed, ${count.fail} failed`);
process.exitCode = count.fail === 0 ? 0 : 1;

/** Counts what a part sends until it ends; one that does not end by itself and content has failed. */
async function runPart(name) {
  const [program, ...args] = PARTS[name];
  const failedBefore = count.fail;
  const passedBefore = count.pass;
  const part = fork(program, [...args, ...extra], {
    execArgv: ['--enable-source-maps'],
    env: { ...process.env, ...NEEDS[name]?.() },
  });
  let finished = false;
  let hung;
  part.on('message', (event) => {
    if (event !== 'end') return void (count[event] += 1);
    finished = true;
    hung = setTimeout(() => {
      console.error(
        `The ${name} tests left something open: they still ran ${HANG_MS / 1000} s after the last.`,
      );
      part.kill('SIGKILL');
    }, HANG_MS);
  });
  const [code, signal] = await once(part, 'close');
  clearTimeout(hung);
  if (!finished) {
    console.error(`The ${name} tests did not finish: they ended with ${signal ?? `exit code ${code}`}.`);
    count.fail += 1;
  }
  const ran = count.pass + count.fail > passedBefore + failedBefore;
  if (count.fail === failedBefore && (code !== 0 || !(ran || extra.length > 0))) count.fail += 1;
}

function editors() {
  return { FLASHLINE_VSCODE_SERVER: ensureVscodeWeb(), CHROMIUM: ensureChromium() };
}
