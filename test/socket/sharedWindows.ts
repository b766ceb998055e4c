// Simulates the windows of a shared server: each connects to it or starts it, as the extension does, in a folder of the
// test.
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';
import { reachServer, type ReachedServer } from '../../src/connection/reachServer';
import { WAIT_MS } from '../editor/waiting';
import { EditorClient } from '../lsp/editorClient';

export interface SharedWindow extends ReachedServer {
  readonly client: EditorClient;
  /** Process id of the server. */
  readonly processId: number;
}

export class SharedWindows {
  /** Temporary folder for the server's files. Its name is short, as it is part of the path of a socket. */
  readonly root = mkdtempSync(join(tmpdir(), 'fl-s-'));

  /** `lingerMs` applies to servers that are started from now on; `module` is their program. */
  constructor(
    public lingerMs: number,
    private readonly module = `${process.cwd()}/dist/server.js`,
  ) {
    chmodSync(this.root, 0o700);
  }

  get folder(): string {
    return join(this.root, 'flashline');
  }

  /** Files in the folder of the sockets. */
  get files(): string[] {
    return readdirSync(this.folder).sort();
  }

  /** Path of the link by which windows find the server; empty without one. */
  get name(): string {
    const paths = this.files.map((file) => join(this.folder, file));
    return paths.find((path) => lstatSync(path).isSymbolicLink()) ?? '';
  }

  reach(environment: NodeJS.ProcessEnv = {}): Promise<ReachedServer> {
    return reachServer({
      module: this.module,
      version: '0.0.0',
      environment: { ...process.env, XDG_RUNTIME_DIR: this.root, ...environment },
      args: ['--linger', String(this.lingerMs)],
      limitMs: WAIT_MS,
    });
  }

  /** Opens a window without a document. */
  async open(settings?: unknown, environment: NodeJS.ProcessEnv = {}): Promise<SharedWindow> {
    const reached = await this.reach(environment);
    const { socket } = reached;
    const client = new EditorClient(new StreamMessageReader(socket), new StreamMessageWriter(socket));
    const { serverProcessId } = await client.initialize(settings, process.pid);
    return { ...reached, client, processId: Number(serverProcessId) };
  }

  /** Returns the ids of the servers of this folder, whether they listen yet or not. */
  running(): number[] {
    const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n');
    return lines.filter((line) => line.includes(`${this.folder}/`)).map((line) => Number.parseInt(line, 10));
  }

  /** Kills the servers and removes their folder. Call at the end of a test. */
  remove(): void {
    for (const processId of this.running()) kill(processId);
    rmSync(this.root, { recursive: true, force: true });
  }
}

function kill(processId: number): void {
  try {
    process.kill(processId, 'SIGKILL');
  } catch {
    // It has ended since it was listed.
  }
}

/** Closes a window with the messages of a shutdown. */
export async function closeWindow({ client, socket }: SharedWindow): Promise<void> {
  await client.connection.sendRequest('shutdown');
  await client.connection.sendNotification('exit');
  client.connection.end();
  socket.end();
}
