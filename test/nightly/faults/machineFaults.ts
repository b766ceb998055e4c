// Simulates failures of the machine: the editor must still work, or a message must explain what fails.
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';
import type { DownloadOutcome } from '../../../server/protocol/modelCatalogue';
import { Method } from '../../../server/protocol/messages';
import { EditorClient } from '../../lsp/editorClient';
import { SharedWindows } from '../../socket/sharedWindows';
import { SLOW_PAIR, slowPair } from '../../support/hub/slowPair';
import { temporaryFolder } from '../../support/temporaryFolder';

interface FaultResult {
  readonly name: string;
  /** Messages to users; empty if they notice nothing. */
  readonly message: string;
  readonly problem?: unknown;
  /** Reason why the failure cannot be simulated here. */
  readonly skipped?: string;
}

/**
 * A failure: its name, the needed permission, and its simulation, which resolves with the message or rejects with the
 * failed check.
 */
type MachineFault = readonly [
  name: string,
  needs: 'mounts' | 'root' | undefined,
  fault: () => Promise<string>,
];

const CLI = resolve('dist/cli.js');
const SETTINGS = { debounceMs: 0, prefetch: 'never', device: 'cpu', useOpenFiles: false, hideBelow: 0 };
const ADD = 'function add(a: number, b: number) {\n  return a +║;\n}\n';
const ANSWER = ' b';
/** Form of a message to users. */
const REASON = /^(Expected .+, got .+; .+|[A-Z].+\. [A-Z].+\.)/s;
/** Speed of the Hub, high enough not to slow the test. */
const BYTES_PER_STEP = 10_000_000;
/** Command prefix that runs a program under a user id without an account. */
const NO_ACCOUNT = ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups'];
const NO_HOME = ['env', '-u', 'HOME'];
const FILL = 'head -c 100000 /dev/zero > "$FOLDER/full" 2>/dev/null';
const CLOCK = join(__dirname, 'clockSetBack.js');

export const MACHINE_FAULTS: readonly MachineFault[] = [
  ['the disk of its own cache is full', 'mounts', () => completes(mounted('cache', 'size=4k', FILL))],
  ['its own cache is read-only', 'mounts', () => completes(mounted('cache', 'ro'))],
  ['no permission for its own cache', 'root', () => completes(NO_ACCOUNT)],
  ['the disk of the downloads is full', 'mounts', () => refusesDownload(mounted('hub', 'size=1m'))],
  ['the folder of the downloads is read-only', 'mounts', () => refusesDownload(mounted('hub', 'ro'))],
  ['no permission for the folder of the downloads', 'root', () => refusesDownload(NO_ACCOUNT)],
  ['no home folder', 'root', () => completes([...NO_ACCOUNT, ...NO_HOME], { systemFolders: true })],
  ['the folder of sockets is open to others', undefined, refusesToShare],
  ['the clock is set back', undefined, () => completes(['env', `NODE_OPTIONS=--require ${CLOCK}`])],
  ['no more files can be opened', undefined, runsOutOfFiles],
  ['too little memory to begin with', undefined, () => saysWhy(limited('-v 1000000'))],
];

export async function simulateFault([name, needs, fault]: MachineFault): Promise<FaultResult> {
  const skipped = missingPermission(needs);
  if (skipped !== undefined) return { name, message: '', skipped };
  try {
    return { name, message: await fault() };
  } catch (problem) {
    return { name, message: '', problem };
  }
}

function missingPermission(needs: MachineFault[1]): string | undefined {
  if (needs === 'root' && process.getuid?.() !== 0) return 'needs root';
  if (needs !== 'mounts') return undefined;
  const { status } = spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', '/mnt']);
  return status === 0 ? undefined : 'needs mounts in a namespace of its own';
}

/** Returns a command prefix that mounts a small file system on a folder of the test and runs its arguments. */
function mounted(folder: string, options: string, fill = 'true'): readonly string[] {
  const script = `FOLDER="$ROOT/${folder}"; mount -t tmpfs -o ${options} none "$FOLDER"; ${fill}; exec "$@"`;
  return ['unshare', '-Urm', 'sh', '-c', script, 'sh'];
}

function limited(limit: string): readonly string[] {
  return ['sh', '-c', `ulimit ${limit}; exec "$@"`, 'sh'];
}

interface RunningServer {
  readonly client: EditorClient;
  readonly child: ChildProcess;
  readonly printed: () => string;
}

interface ServerOptions {
  readonly settings?: object;
  /** Whether to use the system's folders instead of those of the test. */
  readonly systemFolders?: boolean;
}

/** Runs `flashline lsp` under the command prefix `machine`. */
async function onMachine<T>(
  machine: readonly string[],
  work: (server: RunningServer) => Promise<T>,
  { settings = {}, systemFolders = false }: ServerOptions = {},
): Promise<T> {
  const root = temporaryFolder();
  for (const folder of ['cache', 'hub']) mkdirSync(join(root, folder), { mode: 0o700 });
  const folders = { FLASHLINE_CACHE: join(root, 'cache'), HF_HUB_CACHE: join(root, 'hub') };
  const [program = '', ...programArguments] = [...machine, process.execPath, CLI, 'lsp'];
  const child = spawn(program, programArguments, {
    env: { ...process.env, ROOT: root, HF_TOKEN_PATH: '/nowhere', ...(systemFolders ? {} : folders) },
  });
  const ended = once(child, 'exit');
  let printed = '';
  child.stderr.on('data', (data: Buffer) => (printed += data.toString()));
  child.stdin.on('error', () => undefined);
  const client = new EditorClient(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const lost = ended.then(() => assert.fail(`The server ended: ${printed}`));
  try {
    const result = client
      .initialize({ ...SETTINGS, ...settings })
      .then(() => work({ client, child, printed: () => printed }));
    return await Promise.race([result, lost]);
  } finally {
    lost.catch(() => undefined);
    child.kill('SIGKILL');
    await ended;
    client.connection.dispose();
  }
}

/** Asserts that the server completes twice; in between it unloads the model, which stores measurements. */
function completes(machine: readonly string[], options?: ServerOptions): Promise<string> {
  const work = async ({ client, printed }: RunningServer): Promise<string> => {
    assert.equal(await client.text(await client.open('add.ts', ADD)), ANSWER);
    await client.settings({ ...SETTINGS, unloadAfterMinutes: 0.0001 });
    await client.until(() => client.status?.state === 'asleep');
    await client.settings(SETTINGS);
    assert.equal(await client.text(await client.open('other/add.ts', ADD)), ANSWER);
    assert.equal(printed(), '');
    return client.statuses.flatMap(({ message }) => message ?? []).join(' ');
  };
  return onMachine(machine, work, options);
}

/** Asserts that the download reports the reason, and that suggestions still work. */
async function refusesDownload(machine: readonly string[]): Promise<string> {
  const hub = await slowPair(BYTES_PER_STEP);
  const work = async ({ client }: RunningServer): Promise<string> => {
    const params = { repositories: SLOW_PAIR.repositories, force: true };
    const outcome = await client.connection.sendRequest<DownloadOutcome>(Method.download, params);
    assert.equal(outcome.finished, 'failed');
    const { message } = outcome as { readonly message: string };
    assert.match(message, REASON);
    assert.equal(await client.text(await client.open('add.ts', ADD)), ANSWER);
    return message;
  };
  try {
    return await onMachine(machine, work, { settings: { hub: { endpoint: hub.url, proxy: '' } } });
  } finally {
    await hub.close();
  }
}

/** Resolves with the reason in the status when no model loads; undefined if the server completes. */
async function reason(machine: readonly string[]): Promise<string | undefined> {
  return onMachine(machine, async ({ client, child }) => {
    const text = await client.text(await client.open('add.ts', ADD));
    assert.deepEqual([child.exitCode, child.signalCode], [null, null]);
    if (text === ANSWER) return undefined;
    assert.equal(text, undefined);
    await client.until(() => client.status?.state === 'error');
    const message = client.status?.message ?? '';
    assert.match(message, REASON);
    return message;
  });
}

async function saysWhy(machine: readonly string[]): Promise<string> {
  return (await reason(machine)) ?? assert.fail('The server completed despite the fault.');
}

/** Lowers the limit of open files until completion fails, and resolves with the reason. The server must not crash. */
async function runsOutOfFiles(): Promise<string> {
  for (let files = 24; files > 0; files--) {
    const problem = await reason(limited(`-n ${String(files)}`));
    if (problem !== undefined) return problem;
  }
  return assert.fail('The server completed even with one open file.');
}

/**
 * Asserts that a window refuses to share a server in a folder that is open to others; returns the reason. The
 * window then uses one of its own.
 */
async function refusesToShare(): Promise<string> {
  const windows = new SharedWindows(1000);
  try {
    mkdirSync(windows.folder);
    chmodSync(windows.folder, 0o755);
    const refused: unknown = await windows.reach().catch((error: unknown) => error);
    assert.ok(refused instanceof Error);
    assert.match(refused.message, REASON);
    return refused.message;
  } finally {
    windows.remove();
  }
}
