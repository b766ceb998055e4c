// What units of src/ get as the library of VS Code for language servers (test/build.mjs puts it in place): a client whose
// server starts and stops when a test says so.

export const CloseAction = { DoNotRestart: 1, Restart: 2 };
export const ErrorAction = { Continue: 1 };
export const RevealOutputChannelOn = { Never: 4 };
export const TransportKind = { ipc: 1 };

interface Options {
  readonly initializationOptions: () => unknown;
}

export class LanguageClient {
  /** All clients, in the order in which they were made. */
  static readonly made: LanguageClient[] = [];
  /** What the server was told of the settings, at its start and later. */
  readonly told: unknown[] = [];
  #started = (): void => undefined;

  constructor(
    readonly id: string,
    readonly name: string,
    readonly server: unknown,
    private readonly options: Options,
  ) {
    LanguageClient.made.push(this);
  }

  readonly onNotification = (): void => undefined;

  /** Sends the settings, and waits for the answer. */
  async start(): Promise<void> {
    this.told.push(this.options.initializationOptions());
    await new Promise<void>((resolve) => (this.#started = resolve));
  }

  /** The server answers. */
  started(): void {
    this.#started();
  }

  async stop(): Promise<void> {
    await Promise.resolve();
  }

  sendNotification(_: string, params: unknown): Promise<void> {
    this.told.push(params);
    return Promise.resolve();
  }
}
