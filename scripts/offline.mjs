// Runs a command (default: the tests in VS Code) in a network namespace in which every address leads to the loopback
// device, and reports the TCP connections and UDP packets with which it tried to leave the machine. Fails if the
// command fails, or if there were any to other addresses than 127.0.0.0/8 and ::1. Linux only.
//   node scripts/offline.mjs [COMMAND ARGUMENT...]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { ensureChromium } from './chromium.mjs';
import { root, run, script, SetupError } from './command.mjs';
import { ensureVscodeWeb } from './vscodeWeb.mjs';

const TESTS = ['node', 'test/run.mjs', 'host', 'e2e'];
const NAMESPACE = ['unshare', '--user', '--map-root-user', '--net', '--fork'];
/** Delay for the last packets to reach the recorder. */
const LAST_PACKETS_MS = 500;
/** Environment variable that this script sets for itself inside the namespace. */
const INSIDE_VARIABLE = 'FLASHLINE_OFFLINE';

const command = process.argv.slice(2);
await script(async () => {
  if (process.env[INSIDE_VARIABLE] === undefined) await enter();
  else await watch(command.length > 0 ? command : TESTS);
});

/** Downloads what the tests need, if it runs them, and then runs this script again inside the namespace. */
async function enter() {
  const [program, ...args] = NAMESPACE;
  const trial = run(program, [...args, 'ip', 'link', 'set', 'lo', 'up']);
  if (!trial.ok) {
    const remedy = 'Run this on Linux, with util-linux and iproute2, where user namespaces are allowed.';
    throw new SetupError(`Cannot create a network namespace (${trial.status}). ${remedy}`, trial.output);
  }
  if (command.length === 0 || command.includes('test/run.mjs')) {
    ensureVscodeWeb();
    ensureChromium();
  }
  const env = { ...process.env, [INSIDE_VARIABLE]: '1' };
  const thisScript = [process.execPath, 'scripts/offline.mjs', ...command];
  process.exitCode = await exitCode(
    spawn(program, [...args, ...thisScript], { cwd: root, env, stdio: 'inherit' }),
  );
}

/** Runs the command, and reports the packets that it sends to other machines. */
async function watch([program, ...args]) {
  for (const setting of [
    'link set lo up',
    'route add local 0.0.0.0/0 dev lo',
    '-6 route add local ::/0 dev lo',
  ]) {
    const { ok, output } = run('ip', setting.split(' '));
    if (!ok) throw new SetupError(`"ip ${setting}" failed. Allow it in network namespaces.`, output);
  }
  const recorder = spawn('python3', ['scripts/recordPackets.py'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: recorder.stdout });
  await once(lines, 'line');
  const destinations = [];
  lines.on('line', (line) => destinations.push(JSON.parse(line)));
  const code = await exitCode(spawn(program, args, { cwd: root, stdio: 'inherit' }));
  await setTimeout(LAST_PACKETS_MS);
  recorder.kill();
  for (const { protocol, to, port, name } of destinations)
    console.log(`left this machine: ${protocol} to ${to}, port ${port}${name === '' ? '' : `, for ${name}`}`);
  console.log(`Destinations outside of this machine that were tried: ${destinations.length}.`);
  process.exitCode = code === 0 && destinations.length > 0 ? 1 : code;
}

/** Waits for a process to end; returns its exit code, or 1 if a signal ended it. */
async function exitCode(child) {
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
