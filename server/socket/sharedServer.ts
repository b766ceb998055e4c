// The server process that all windows of a user share: takes the name under which windows find it, serves the windows
// that connect, and ends some seconds after the last one has closed. No window owns it. The caller passes the function
// that serves a window.
import { chmodSync, existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createConnection, type Connection, type Logger } from 'vscode-languageserver';
import {
  createProtocolConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { Method } from '../protocol/messages';
import { boundSocket, GREETING, logOf, requirePrivateFolder } from './socketName';
import { releaseName, hasName, takeName } from './takeName';
import { visibleText } from '../rules/visibleText';

/** Time during which a window that reloads can come back and find its models still in memory. */
const LINGER_MS = 20_000;
/** Interval of checks whether this server still has the name. */
const CHECK_MS = 2_000;
/** Time limit for closing windows and freeing models at the end. */
const CLOSE_MS = 2_000;
/** Age up to which the logs of crashed servers are kept for the windows that have lost their server. */
const KEEP_LOGS_MS = 3_600_000;

interface ServedWindow {
  /** Cancels running requests once the window has closed. */
  cancel(): void;
  /** Releases the window's resources. */
  end(): Promise<void>;
}

export interface SharedServerOptions {
  /** Path under which windows find the server; a link to its socket. */
  readonly name: string;
  /** Distinguishes this server from others that try to take the name. */
  readonly id: string;
  /** Time after the last window has closed until the server ends. */
  readonly lingerMs?: number | undefined;
  readonly serve: (connection: Connection) => ServedWindow;
}

export class SharedServer {
  readonly #server = createServer((socket) => {
    this.#accept(socket);
  });
  /** Open sockets, with a connection once the client has sent something. */
  readonly #sockets = new Map<Socket, Connection | undefined>();
  /** Windows whose resources are not released yet, open or closed; each with its release once that has begun. */
  readonly #served = new Map<ServedWindow, Promise<void> | undefined>();
  /** Path of this server's own socket. */
  readonly #socket: string;
  readonly #lingerMs: number;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Whether the name is released, or lost to another server: no window connects any more. */
  #hasLeft = false;
  #onEnd: () => void = () => undefined;

  /** Resolves once the last window has closed and all resources are released, or the time for that is over. */
  readonly ended = new Promise<void>((resolve) => {
    this.#onEnd = resolve;
  });

  private constructor(private readonly options: SharedServerOptions) {
    this.#lingerMs = options.lingerMs ?? LINGER_MS;
    this.#socket = boundSocket(options.name, options.id);
  }

  /** Starts a server; resolves with undefined if another one has the name. Rejects if no shared server is possible. */
  static async start(options: SharedServerOptions): Promise<SharedServer | undefined> {
    requirePrivateFolder(dirname(options.name), process.getuid?.());
    const server = new SharedServer(options);
    return (await server.#listen()) ? server : undefined;
  }

  /** Notifies the windows, which can then start another server, and ends. Resolves like `ended`. */
  async end(): Promise<void> {
    this.#leave();
    for (const [socket, connection] of this.#sockets) {
      const sent = Promise.resolve(connection?.sendNotification(Method.ending)).catch(() => undefined);
      void sent.then(() => socket.end());
    }
    await Promise.race([this.ended, pause(CLOSE_MS)]);
    for (const socket of this.#sockets.keys()) socket.destroy();
    await this.ended;
  }

  /** Listens and takes the name. Resolves with false if another server has it. */
  async #listen(): Promise<boolean> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#socket, resolve);
    });
    chmodSync(this.#socket, 0o600);
    let tookName = false;
    try {
      tookName = await takeName(this.options.name, this.#socket);
      if (!tookName) rmSync(logOf(this.#socket), { force: true });
    } finally {
      if (!tookName) this.#server.close();
    }
    if (!tookName) return false;
    removeOldLogs(dirname(this.options.name));
    setInterval(() => {
      if (!hasName(this.options.name, this.#socket)) this.#leave();
    }, CHECK_MS).unref();
    this.#waitForWindow();
    return true;
  }

  /** Greets a client, and serves it as a window once it sends something. */
  #accept(socket: Socket): void {
    clearTimeout(this.#idleTimer);
    this.#sockets.set(socket, undefined);
    socket.write(GREETING);
    socket.on('error', () => undefined); // The event 'close' follows.
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#waitForWindow();
    });
    // A client that only checks whether a server is running sends nothing.
    socket.once('readable', () => {
      if (socket.readableLength === 0) return void socket.resume();
      const connection = windowConnection(socket);
      this.#sockets.set(socket, connection);
      const window = this.options.serve(connection);
      // Resources are released after the socket has closed, not here: not every window sends a shutdown.
      connection.onShutdown(() => undefined);
      this.#served.set(window, undefined);
      socket.once('close', () => {
        window.cancel();
        setTimeout(() => void this.#endWindow(window), this.#lingerMs).unref();
      });
    });
  }

  /** If no socket is open, starts the timer that ends the server; finishes immediately if the name is released. */
  #waitForWindow(): void {
    clearTimeout(this.#idleTimer);
    if (this.#sockets.size > 0) return;
    if (this.#hasLeft) void this.#finish();
    else
      this.#idleTimer = setTimeout(() => {
        // Timers run before connections are accepted, and a window can connect in this turn of the event loop.
        setImmediate(() => {
          if (this.#sockets.size === 0) this.#leave();
        });
      }, this.#lingerMs);
  }

  /** Releases the name. Windows that were greeted are still served; when the last one closes, the server ends. */
  #leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    releaseName(this.options.name, this.#socket);
    this.#server.close();
    this.#waitForWindow();
  }

  /** Releases the resources of a window, once; resolves when they are released. */
  async #endWindow(window: ServedWindow): Promise<void> {
    if (!this.#served.has(window)) return;
    const release =
      this.#served.get(window) ??
      window.end().catch((error: unknown) => {
        process.stderr.write(`${visibleText(String(error))}\n`);
      });
    this.#served.set(window, release);
    await release;
    this.#served.delete(window);
  }

  /** Releases the resources of all windows and removes the files of this server. */
  async #finish(): Promise<void> {
    await Promise.race([
      Promise.all([...this.#served.keys()].map((window) => this.#endWindow(window))),
      pause(CLOSE_MS),
    ]);
    for (const path of [this.#socket, logOf(this.#socket)]) rmSync(path, { force: true });
    this.#onEnd();
  }
}

/** Removes the logs of servers that have ended; a running server has its socket next to its log. */
function removeOldLogs(folder: string): void {
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    if (!file.endsWith('.log') || existsSync(path.replace(/\.log$/, ''))) continue;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isFile() && Date.now() - found.mtimeMs > KEEP_LOGS_MS) rmSync(path, { force: true });
  }
}

/**
 * Creates a connection whose end closes only its socket. By default, the library ends the process, as it expects one
 * client.
 */
function windowConnection(socket: Socket): Connection {
  return createConnection(
    (logger) =>
      createProtocolConnection(
        new StreamMessageReader(socket),
        new StreamMessageWriter(socket),
        forgiving(logger),
      ),
    // Replaces the library's watchdog, which exits together with the client's process.
    { shutdownReceived: false, initialize: () => undefined, exit: () => void socket.end() },
    ProposedFeatures.all,
  );
}

/** Returns a logger that never throws: the library logs the end of a connection through that connection. */
function forgiving(logger: Logger): Logger {
  const to = (name: keyof Logger) => (message: string) => {
    try {
      logger[name](message);
    } catch {
      // The window has closed.
    }
  };
  return { error: to('error'), warn: to('warn'), info: to('info'), log: to('log') };
}
