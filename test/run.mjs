// Compiles the tests and runs their parts: unit (mocha), training (Python's unittest), host (mocha inside of VS Code),
// e2e (VS Code in a browser). node test/run.mjs [unit|training|host|e2e ...] [mocha arguments]; npm test -- --grep kv.
// Tells what took longest. Its last line is always "N passed, N failed": a crash, a hang or an empty run counts as a
// failure.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { SetupError } from '../scripts/command.mjs';
import { ensureChromium } from '../scripts/chromium.mjs';
import { ensureTorch } from '../scripts/torch.mjs';
import { ensureVscodeWeb } from '../scripts/vscodeWeb.mjs';

const HANG_MS = 120_000;
const SLOWEST = 20;
const MOCHA = 'node_modules/mocha/bin/mocha.js';
const MOCHA_ARGS = ['--timeout', '600000', '--reporter', 'test/tally.mjs'];

/** Benchmarks are programs of their own, and measuring takes minutes: `npm run test:nightly` has them too. */
const BENCHMARKS = process.env.FLASHLINE_TEST === 'nightly' ? [] : ['--ignore', 'out/test/nightly/bench/**'];

/** The processes of each part, which run at the same time. Both of the unit tests take about as long. */
const PARTS = {
  unit: [
    [MOCHA, ...MOCHA_ARGS, 'out/test/{cli,engine,http,lsp}/**/*.test.js'],
    [
      MOCHA,
      ...MOCHA_ARGS,
      'out/test/**/*.test.js',
      '--ignore',
      'out/test/{cli,engine,http,lsp,host,e2e}/**',
      ...BENCHMARKS,
    ],
  ],
  training: [['test/training.mjs']],
  host: [['out/test/host/run.js']],
  e2e: [[MOCHA, ...MOCHA_ARGS, '--slow', '5000', 'out/test/e2e/**/*.test.js']],
};
/** Those in a row run at the same time too: VS Code takes its time to start. */
const ORDER = [['unit'], ['host', 'training'], ['e2e']];

/** What a part needs from this machine, as its environment; installed before the first test runs. */
const NEEDS = {
  training: () => ({ FLASHLINE_PYTHON: ensureTorch() }),
  host: () => (process.env.VSCODE_TEST_HOST === 'electron' ? {} : editors()),
  e2e: editors,
};

process.chdir(path.resolve(import.meta.dirname, '..'));
const words = process.argv.slice(2);
const firstOther = words.findIndex((word) => !Object.hasOwn(PARTS, word));
const chosen = firstOther < 0 ? words : words.slice(0, firstOther);
const extra = words.slice(chosen.length);
const count = { pass: 0, fail: 0 };
/** Tests, hooks and whatever else a part has measured. */
const times = [];

try {
  await import('./build.mjs');
  const order = ORDER.map((names) => names.filter((name) => chosen.length === 0 || chosen.includes(name)));
  const environments = new Map(order.flat().map((name) => [name, { ...process.env, ...NEEDS[name]?.() }]));
  for (const names of order) await runParts(names, environments);
  if (count.pass + count.fail === 0) throw new Error('No test ran.');
} catch (error) {
  if (error instanceof SetupError) console.error(`${error.output}\n${error.message}`);
  // esbuild has printed what it could not compile.
  else if (error.errors === undefined) console.error(error);
  count.fail += 1;
}
tellSlowest();
console.log(`${count.pass} passed, ${count.fail} failed`);
process.exitCode = count.fail === 0 ? 0 : 1;

/** Runs the processes of some parts. The first speaks at once, and the others when it is done. */
async function runParts(names, environments) {
  const processes = names.flatMap((name) => PARTS[name].map((args) => ({ name, args })));
  const running = processes.map(({ name, args }, i) => {
    const [program, ...rest] = args;
    const options = { execArgv: ['--enable-source-maps'], env: environments.get(name), silent: i > 0 };
    return tally(name, fork(program, [...rest, ...extra], options));
  });
  for (const said of running) process.stdout.write(await said);
}

/**
 * Counts what a process sends until it ends, and gives what it has said and was not told yet. One that does not end by
 * itself and content has failed.
 */
async function tally(name, part) {
  const own = { pass: 0, fail: 0 };
  let said = '';
  let finished = false;
  let hung;
  for (const stream of [part.stdout, part.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (said += text));
  part.on('message', ({ event, title, ms }) => {
    if (Object.hasOwn(own, event)) own[event] += 1;
    if (ms !== undefined) times.push({ name, title, ms });
    if (event !== 'end') return;
    finished = true;
    hung = setTimeout(() => {
      said += `The ${name} tests left something open: they still ran ${HANG_MS / 1000} s after the last.\n`;
      part.kill('SIGKILL');
    }, HANG_MS);
  });
  const [code, signal] = await once(part, 'close');
  clearTimeout(hung);
  if (!finished) {
    said += `The ${name} tests did not finish: they ended with ${signal ?? `exit code ${code}`}.\n`;
    own.fail += 1;
  }
  const ran = own.pass + own.fail > 0;
  if (own.fail === 0 && (code !== 0 || !(ran || extra.length > 0))) own.fail += 1;
  count.pass += own.pass;
  count.fail += own.fail;
  return said;
}

function tellSlowest() {
  const slowest = times.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  if (slowest.length > 0) console.log(`\nThe ${slowest.length} slowest:`);
  for (const { name, title, ms } of slowest)
    console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${name}: ${title}`);
}

function editors() {
  return { FLASHLINE_VSCODE_SERVER: ensureVscodeWeb(), CHROMIUM: ensureChromium() };
}
