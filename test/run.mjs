// Compiles the tests and runs their parts: unit (mocha), training (Python's unittest), host (mocha inside of VS Code),
// e2e (VS Code in a browser). node test/run.mjs [unit|training|host|e2e ...] [mocha arguments]; npm test -- --grep kv.
// Tells what took longest. Its last line is always "N passed, N failed": a crash, a hang or an empty run counts as a
// failure.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SetupError } from '../scripts/command.mjs';
import { ensureChromium } from '../scripts/chromium.mjs';
import { ensureTorch } from '../scripts/torch.mjs';
import { ensureNewestVscode, ensureVscodeWeb } from '../scripts/vscodeWeb.mjs';

/** After its last test: longer than a process takes to tell what it has left open. */
const HANG_MS = 180_000;
const SLOWEST = 20;
/** The folders of unit tests that take long, each a process of its own, so that its models leave memory with it. */
const LONG = [
  'models',
  'lsp',
  'cli',
  'engine',
  'models/families',
  'nightly',
  'http',
  'completion',
  'hub',
  'src',
];
/** They start a VS Code of their own, so that they need not wait for the others. (Braces alone are no pattern to mocha.) */
const OWN_VSCODE = 'e2e/@(hostKills|twoWindows|vsix).test.js';

/** The processes of each part. The first of all begin first: those that take longest, as they wait for VS Code. */
const PARTS = {
  e2e: [
    mocha('e2e/**/*.test.js', '--slow', '5000', '--ignore', `out/test/${OWN_VSCODE}`),
    mocha(OWN_VSCODE, '--slow', '5000'),
  ],
  host: [['out/test/host/run.js']],
  unit: [
    ...LONG.map((folder) => mocha(`${folder}/**/*.test.js`, ...inside(folder).flatMap(ignoring))),
    mocha('**/*.test.js', ...ignoring(`{${LONG.join(',')},host,e2e}`)),
  ],
  training: [['test/training.mjs']],
};
/** One more than the smallest machine that runs the tests has cores: VS Code and the hubs of tests often wait. */
const AT_A_TIME = 3;

/** What a part needs from this machine, as its environment; installed before the first test runs. */
const NEEDS = {
  training: () => ({ FLASHLINE_PYTHON: ensureTorch() }),
  host: () => (process.env.VSCODE_TEST_HOST === 'electron' ? {} : { ...editors(), ...newestEditor() }),
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
/** What a busy machine measures here is not for the server that this person uses. */
const cache = mkdtempSync(path.join(tmpdir(), 'flashline-cache-'));

try {
  await import('./build.mjs');
  const names = Object.keys(PARTS).filter((name) => chosen.length === 0 || chosen.includes(name));
  const own = { ...process.env, FLASHLINE_CACHE: cache };
  const environments = new Map(names.map((name) => [name, { ...own, ...NEEDS[name]?.() }]));
  const processes = names.flatMap((name) => PARTS[name].map((args) => ({ name, args })));
  await runAll(processes, environments);
  if (count.pass + count.fail === 0) throw new Error('No test ran.');
} catch (error) {
  if (error instanceof SetupError) console.error(`${error.output}\n${error.message}`);
  // esbuild has printed what it could not compile.
  else if (error.errors === undefined) console.error(error);
  count.fail += 1;
} finally {
  rmSync(cache, { recursive: true, force: true });
}
tellSlowest();
console.log(`${count.pass} passed, ${count.fail} failed`);
process.exitCode = count.fail === 0 ? 0 : 1;

function mocha(files, ...more) {
  const options = ['--timeout', '1800000', '--reporter', 'test/tally.mjs'];
  return ['node_modules/mocha/bin/mocha.js', ...options, `out/test/${files}`, ...more];
}

/** Folders that are processes of their own. */
function inside(folder) {
  return LONG.filter((other) => other.startsWith(`${folder}/`));
}

function ignoring(folders) {
  return ['--ignore', `out/test/${folders}/**`];
}

/** A few at a time. What each has said comes as a whole. */
async function runAll(processes, environments) {
  const waiting = processes.values();
  const worker = async () => {
    for (const { name, args } of waiting) {
      const [program, ...rest] = args;
      const options = { execArgv: ['--enable-source-maps'], env: environments.get(name), silent: true };
      process.stdout.write(await tally(name, fork(program, [...rest, ...extra], options)));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}

/**
 * Counts what a process sends until it ends, and gives what it has said. One that does not end by itself and content has
 * failed.
 */
async function tally(name, part) {
  const own = { pass: 0, fail: 0 };
  let said = '';
  let finished = false;
  let hung;
  let stuck = false;
  for (const stream of [part.stdout, part.stderr])
    stream.setEncoding('utf8').on('data', (text) => (said += text));
  part.on('message', ({ event, title, ms }) => {
    if (Object.hasOwn(own, event)) own[event] += 1;
    if (ms !== undefined) times.push({ name, title, ms });
    if (event === 'open') {
      said += `The ${name} tests left something open: ${title}.\n`;
      part.kill('SIGKILL');
    }
    if (event !== 'end') return;
    finished = true;
    hung = setTimeout(() => {
      // Node's own shutdown can wait for itself (nodejs/node#54918), which is no test's doing.
      said += `The ${name} tests left nothing open, but Node did not end by itself.\n`;
      stuck = true;
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
  if (own.fail === 0 && ((code !== 0 && !stuck) || !(ran || extra.length > 0))) own.fail += 1;
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

function newestEditor() {
  const newest = process.env.FLASHLINE_TEST === 'nightly' ? ensureNewestVscode() : undefined;
  return newest === undefined ? {} : { FLASHLINE_VSCODE_NEWEST: newest };
}

function editors() {
  return { FLASHLINE_VSCODE_SERVER: ensureVscodeWeb(), CHROMIUM: ensureChromium() };
}
