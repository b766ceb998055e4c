// npm run bench [-- ARGUMENTS]: runs the decode benchmark with these arguments (see flashline bench --help), the same
// by depth of context, then with sampling in both acceptance modes, then a typing replay of about three minutes, and
// draws the charts. The last line on stdout is the JSON of the replay. With the name of a benchmark as the first
// argument ("typing", "infill FILE"; any that node dist/bench/run.js lists), or with --depth, runs only that one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { ensureChromium } from './chromium.mjs';
import { endWithNpm, root, script } from './command.mjs';
import { loadTypeScript } from './typescript.mjs';
import { ensureVscodeWeb } from './vscodeWeb.mjs';

/** Keys of the replay, enough for answered requests of every kind. */
const REPLAY_KEYS = 1000;
/** Options with more work than the defaults of flashline bench, for published figures; arguments override them. */
const DECODE_OPTIONS = ['--repeats', '5', '--max-tokens', '64'];
/** Options of the runs with sampling, which repeat less often. */
const SAMPLING_OPTIONS = ['--temperature', '0.7', '--repeats', '2', '--max-tokens', '64'];
const CLI = path.join(root, 'dist/cli.js');
const RESULTS = path.join(root, 'bench/results');

const benchmark = (name) => [path.join(root, 'dist/bench/run.js'), name];

/**
 * Returns the commands to run with Node, one after the other. Our --json and --acceptance come last and win over those
 * in `args`: no file could hold the reports of all parts.
 */
function benchParts(args) {
  const [name = '', ...options] = args;
  if (name !== '' && !name.startsWith('-')) return [[...benchmark(name), ...options]];
  const measure = (file, ...command) => [CLI, ...command, '--json', path.join(RESULTS, file)];
  const decode = measure('decode.json', 'bench', ...DECODE_OPTIONS, ...args);
  if (args.includes('--help') || args.includes('-h')) return [decode];
  const depth = measure('depth.json', 'bench', '--depth', ...DECODE_OPTIONS, ...args);
  if (args.includes('--depth')) return [depth];
  const sampled = (acceptance) => {
    const options = [...SAMPLING_OPTIONS, ...args, '--acceptance', acceptance];
    return measure(`sampled-${acceptance}.json`, 'bench', ...options);
  };
  return [
    decode,
    depth,
    sampled('match'),
    sampled('rejection'),
    measure('replay.json', 'replay', '--keys', String(REPLAY_KEYS)),
    benchmark('charts'),
  ];
}

/** Runs parts up to the first failure; returns its exit code, or 0. */
async function runParts(parts) {
  for (const part of parts) {
    const [code] = await once(spawn(process.execPath, part, { stdio: 'inherit' }), 'close');
    if (code !== 0) return code ?? 1;
  }
  return 0;
}

async function typeIntoVscode(args) {
  await script(async () => {
    endWithNpm();
    process.chdir(root);
    process.env.FLASHLINE_VSCODE_SERVER = ensureVscodeWeb();
    process.env.CHROMIUM = ensureChromium();
    const { typePrograms } = await loadTypeScript('test/editor/typePrograms.ts');
    await typePrograms(args);
  });
}

const args = process.argv.slice(2);
if (args[0] === 'typing' && !args.some((arg) => ['--quick', '--help', '-h'].includes(arg)))
  await typeIntoVscode(args.slice(1));
else {
  // Ctrl+C also reaches the running part; stay alive, so that an interrupted replay can print its figures.
  process.on('SIGINT', () => {});
  fs.mkdirSync(RESULTS, { recursive: true });
  process.exitCode = await runParts(benchParts(args));
}
