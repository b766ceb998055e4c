// The language server as an editor starts it: a separate process, over its standard streams or a Node.js channel.
// Records its output.
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  IPCMessageReader,
  IPCMessageWriter,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { EditorClient } from './editorClient';

const CLI = 'dist/cli.js';
const SERVER = 'dist/server.js';

/** Time after which a process is killed if nothing else has ended it; no test takes that long. */
const LIFE_MS = 900_000;

export class ServerProcess {
  readonly #output: Buffer[] = [];
  readonly #errors: Buffer[] = [];
  readonly #ended: Promise<number | null>;

  private constructor(
    readonly child: ChildProcess,
    readonly client: EditorClient,
  ) {
    child.stdout?.on('data', (data: Buffer) => this.#output.push(data));
    child.stderr?.on('data', (data: Buffer) => this.#errors.push(data));
    const kill = setTimeout(() => child.kill('SIGKILL'), LIFE_MS);
    // Not `close`, which is not sent after this side has closed the channel.
    const streams = [child.stdout, child.stderr].flatMap((stream) => (stream ? [once(stream, 'close')] : []));
    this.#ended = Promise.all([once(child, 'exit'), ...streams]).then(() => {
      clearTimeout(kill);
      client.connection.dispose();
      return child.exitCode;
    });
  }

  /** Starts `flashline lsp`; `nodeArgs` go to Node.js. */
  static overStdio(nodeArgs: readonly string[] = []): ServerProcess {
    const child = spawn(process.execPath, [...nodeArgs, CLI, 'lsp']);
    child.stdin.on('error', () => undefined);
    const client = new EditorClient(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    return new ServerProcess(child, client);
  }

  /** Starts the server as the extension does. */
  static overIpc(): ServerProcess {
    const child = fork(SERVER, ['--node-ipc'], { silent: true });
    return new ServerProcess(
      child,
      new EditorClient(new IPCMessageReader(child), new IPCMessageWriter(child)),
    );
  }

  get stderr(): string {
    return Buffer.concat(this.#errors).toString();
  }

  get output(): Buffer {
    return Buffer.concat(this.#output);
  }

  /** Resolves with the exit code once it has ended; null if a signal ended it. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

/** Returns the messages of a stream that contains nothing else; throws for any other byte. */
export function framesOf(stream: Buffer): unknown[] {
  const messages: unknown[] = [];
  for (let rest = stream; rest.length > 0;) {
    const [header = '', length = ''] = /^Content-Length: (\d+)\r\n\r\n/.exec(rest.toString('latin1')) ?? [];
    const end = header.length + Number(length);
    if (header === '' || end > rest.length)
      throw new Error(`Expected a message, got ${rest.subarray(0, 200).toString()}`);
    messages.push(JSON.parse(rest.subarray(header.length, end).toString()));
    rest = rest.subarray(end);
  }
  return messages;
}
