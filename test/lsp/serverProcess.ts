// The language server as an editor starts it: a process of its own, over its standard streams or over the channel
// between Node processes. What it writes is kept.
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

/** Should nothing else end it: no test takes so long. */
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
    // Not `close`, which does not come once the channel has been closed from here.
    const streams = [child.stdout, child.stderr].flatMap((stream) => (stream ? [once(stream, 'close')] : []));
    this.#ended = Promise.all([once(child, 'exit'), ...streams]).then(() => {
      clearTimeout(kill);
      client.connection.dispose();
      return child.exitCode;
    });
  }

  /** `flashline lsp`; `nodeArgs` go to Node. */
  static overStdio(nodeArgs: readonly string[] = []): ServerProcess {
    const child = spawn(process.execPath, [...nodeArgs, CLI, 'lsp']);
    child.stdin.on('error', () => undefined);
    const client = new EditorClient(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    return new ServerProcess(child, client);
  }

  /** As the extension of VS Code starts it. */
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

  /** The exit code, once it has ended; null when a signal has ended it. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

/** The messages of a stream that consists of nothing else; throws for any other byte. */
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
