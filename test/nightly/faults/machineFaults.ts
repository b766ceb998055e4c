// Faults of the machine, one after the other: each has to leave an editor that goes on, and words that say why
// something is not as usual.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
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

export interface Suffered {
  readonly name: string;
  /** What users see; empty if there is nothing that they would notice. */
  readonly words: string;
  readonly problem?: unknown;
  /** Why the fault cannot be made here. */
  readonly skipped?: string;
}

export interface MachineFault {
  readonly name: string;
  /** What the machine must allow to make it. */
  readonly needs?: 'mounts' | 'root';
  /** Returns the words; rejects with what does not hold. */
  readonly suffer: () => Promise<string>;
}

const CLI = resolve('dist/cli.js');
const SETTINGS = { debounceMs: 0, prefetch: 'never', device: 'cpu', useOpenFiles: false, hideBelow: 0 };
const ADD = 'function add(a: number, b: number) {\n  return a +║;\n}\n';
const ANSWER = ' b';
/** What a line for users looks like. */
const REASON = /^Expected .+, got .+; .+/s;
/** Fast enough to be out of the way. */
const BYTES_PER_STEP = 10_000_000;
/** A number that no user has. */
const NOBODY = ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups'];
const NO_NAME = ['env', '-u', 'HOME'];

export const MACHINE_FAULTS: readonly MachineFault[] = [
  {
    name: 'the disk of its own cache is full',
    needs: 'mounts',
    suffer: () =>
      completes(mounted('cache', 'size=4k', 'head -c 100000 /dev/zero > "$FOLDER/full" 2>/dev/null')),
  },
  {
    name: 'its own cache is read-only',
    needs: 'mounts',
    suffer: () => completes(mounted('cache', 'ro')),
  },
  {
    name: 'the disk of the downloads is full',
    needs: 'mounts',
    suffer: () => refusesDownload(mounted('hub', 'size=1m')),
  },
  {
    name: 'the folder of the downloads is read-only',
    needs: 'mounts',
    suffer: () => refusesDownload(mounted('hub', 'ro')),
  },
  {
    name: 'no permission for the folder of the downloads',
    needs: 'root',
    suffer: () => refusesDownload(NOBODY),
  },
  {
    name: 'no permission for its own cache',
    needs: 'root',
    suffer: () => completes(NOBODY),
  },
  { name: 'no home folder', needs: 'root', suffer: () => completes([...NOBODY, ...NO_NAME], true) },
  { name: 'the folder of sockets is open to others', suffer: sharesNothing },
  {
    name: 'the clock is set back',
    suffer: () => completes(['env', `NODE_OPTIONS=--require ${join(__dirname, 'clockSetBack.js')}`]),
  },
  { name: 'no more files can be opened', suffer: runsOutOfFiles },
  { name: 'too little memory to begin with', suffer: () => saysWhy(limited('-v 1000000')) },
];

export async function sufferAll(faults = MACHINE_FAULTS): Promise<Suffered[]> {
  const suffered: Suffered[] = [];
  for (const { name, needs, suffer } of faults) {
    const skipped = missing(needs);
    if (skipped !== undefined) suffered.push({ name, words: '', skipped });
    else
      suffered.push(
        await suffer().then(
          (words) => ({ name, words }),
          (problem: unknown) => ({ name, words: '', problem }),
        ),
      );
  }
  return suffered;
}

function missing(needs: MachineFault['needs']): string | undefined {
  if (needs === 'root' && process.getuid?.() !== 0) return 'needs root';
  if (needs !== 'mounts') return undefined;
  const { status } = spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', '/mnt']);
  return status === 0 ? undefined : 'needs mounts in a namespace of its own';
}

/** Runs what follows where a folder of the place is a small file system. */
function mounted(folder: string, options: string, fill = 'true'): readonly string[] {
  const script = `FOLDER="$PLACE/${folder}"; mount -t tmpfs -o ${options} none "$FOLDER"; ${fill}; exec "$@"`;
  return ['unshare', '-Urm', 'sh', '-c', script, 'sh'];
}

function limited(limit: string): readonly string[] {
  return ['sh', '-c', `ulimit ${limit}; exec "$@"`, 'sh'];
}

interface Faulty {
  readonly client: EditorClient;
  /** Whether the process is still there. */
  readonly isAlive: () => boolean;
  readonly printed: () => string;
}

/** `flashline lsp` on such a machine. Without `ownFolders`, its folders are those of another user. */
async function onMachine<T>(
  machine: readonly string[],
  work: (faulty: Faulty) => Promise<T>,
  { settings = {}, systemFolders = false }: { settings?: object; systemFolders?: boolean } = {},
): Promise<T> {
  const place = temporaryFolder();
  for (const folder of ['cache', 'hub']) mkdirSync(join(place, folder), { mode: 0o700 });
  const folders = { FLASHLINE_CACHE: join(place, 'cache'), HF_HUB_CACHE: join(place, 'hub') };
  const [program = process.execPath, ...words] = [...machine, process.execPath, CLI, 'lsp'];
  const child = spawn(program, words, {
    env: { ...process.env, PLACE: place, HF_TOKEN_PATH: '/nowhere', ...(systemFolders ? {} : folders) },
  });
  const ended = once(child, 'exit');
  let printed = '';
  child.stderr.on('data', (data: Buffer) => (printed += data.toString()));
  child.stdin.on('error', () => undefined);
  const client = new EditorClient(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const lost = ended.then(() => {
    throw new Error(`Expected the server to go on, got its end: ${printed}`);
  });
  try {
    const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
    const given = client
      .initialize({ ...SETTINGS, ...settings })
      .then(() => work({ client, isAlive, printed: () => printed }));
    return await Promise.race([given, lost]);
  } finally {
    lost.catch(() => undefined);
    child.kill('SIGKILL');
    await ended;
    client.connection.dispose();
  }
}

/** Twice, and what was learned would be stored in between. */
function completes(machine: readonly string[], systemFolders = false): Promise<string> {
  return onMachine(
    machine,
    async ({ client, printed }) => {
      assert.equal(await client.text(await client.open('add.ts', ADD)), ANSWER);
      await client.settings({ ...SETTINGS, unloadAfterMinutes: 0.0001 });
      await client.until(() => client.status?.state === 'asleep');
      await client.settings(SETTINGS);
      assert.equal(await client.text(await client.open('other/add.ts', ADD)), ANSWER);
      assert.equal(printed(), '');
      return client.statuses.flatMap(({ message }) => message ?? []).join(' ');
    },
    { systemFolders },
  );
}

/** The download says why, and suggestions go on. */
async function refusesDownload(machine: readonly string[]): Promise<string> {
  const hub = await slowPair(BYTES_PER_STEP);
  try {
    const settings = { hub: { endpoint: hub.url, proxy: '' } };
    return await onMachine(
      machine,
      async ({ client }) => {
        const params = { repositories: SLOW_PAIR.repositories, force: true };
        const outcome = await client.connection.sendRequest<DownloadOutcome>(Method.download, params);
        assert.equal(outcome.finished, 'failed');
        const { message } = outcome as { readonly message: string };
        assert.match(message, REASON);
        assert.equal(await client.text(await client.open('add.ts', ADD)), ANSWER);
        return message;
      },
      { settings },
    );
  } finally {
    await hub.close();
  }
}

/** No model, and the status says why; the server goes on. */
function saysWhy(machine: readonly string[]): Promise<string> {
  return onMachine(machine, async ({ client, isAlive }) => {
    assert.equal(await client.text(await client.open('add.ts', ADD)), undefined);
    await client.until(() => client.status?.state === 'error');
    const message = client.status?.message ?? '';
    assert.match(message, REASON);
    assert.ok(isAlive());
    return message;
  });
}

/** With ever fewer files it completes, until it says why it does not; it never ends. */
async function runsOutOfFiles(): Promise<string> {
  for (let files = 24; files > 0; files--) {
    const said = await onMachine(limited(`-n ${String(files)}`), async ({ client, isAlive }) => {
      const text = await client.text(await client.open('add.ts', ADD));
      assert.ok(isAlive());
      if (text === ANSWER) return undefined;
      await client.until(() => client.status?.state === 'error');
      return client.status?.message ?? '';
    });
    if (said === undefined) continue;
    assert.match(said, REASON);
    return said;
  }
  throw new Error('Expected a reason at the latest without any file, got completions');
}

/** Windows then start servers of their own, which they do when this is refused. */
async function sharesNothing(): Promise<string> {
  const windows = new SharedWindows(1000);
  try {
    mkdirSync(windows.folder);
    chmodSync(windows.folder, 0o755);
    const refused: unknown = await windows.reach().then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.ok(refused instanceof Error);
    assert.match(refused.message, REASON);
    return refused.message;
  } finally {
    windows.remove();
  }
}
