// A VS Code window with Flashline, its model loaded, for a test outside of it.
import { Probe, type ProbeState } from './probe';
import { BrowserWindow } from './browserWindow';
import { PLAIN_TYPING, Profile, type ProfileOptions } from './profile';
import { until } from './waiting';
import { installExtension, VscodeServer } from './vscodeServer';
import { Workbench } from './workbench';

/** Starting VS Code and loading the model, on a machine that has much else to do. */
const LOAD_MS = 60_000;

export interface SessionOptions extends ProfileOptions {
  /** Installs this package instead of running the extension from this folder. */
  readonly vsix?: string;
  /** Of VS Code and what it starts. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether to wait for the model too; it is by default. */
  readonly waitFor?: 'server' | 'model';
}

export class Session {
  readonly workbench: Workbench;
  readonly #others: BrowserWindow[] = [];

  private constructor(
    readonly profile: Profile,
    readonly probe: Probe,
    readonly server: VscodeServer,
    readonly window: BrowserWindow,
    private readonly extensions: readonly string[],
  ) {
    this.workbench = new Workbench(window.page);
  }

  static async open({ vsix, settings, environment, waitFor, ...options }: SessionOptions): Promise<Session> {
    const profile = new Profile({ ...options, settings: { ...PLAIN_TYPING, ...settings } });
    let server: VscodeServer | undefined;
    let window: BrowserWindow | undefined;
    try {
      if (vsix !== undefined) installExtension(profile, vsix);
      const probe = new Probe(profile);
      server = await VscodeServer.start({ profile, environment: { ...environment, ...probe.environment } });
      const extensions = [...(vsix === undefined ? [process.cwd()] : []), probe.folder];
      window = await BrowserWindow.open(server, { extensions });
      const session = new Session(profile, probe, server, window, extensions);
      await (waitFor === 'server' ? session.connected() : session.ready());
      return session;
    } catch (error) {
      await window?.close();
      await server?.stop();
      profile.remove();
      throw error;
    }
  }

  /** Waits until the server has said something. */
  async connected(): Promise<ProbeState> {
    return await until(
      'Flashline is connected',
      async () => {
        const state = await this.probe.state().catch(() => undefined);
        return state?.serverStatus === undefined ? undefined : state;
      },
      LOAD_MS,
    );
  }

  /** Waits until the model is loaded. */
  async ready(): Promise<ProbeState> {
    return await until(
      'Flashline is ready',
      async () => {
        const state = await this.probe.state().catch(() => undefined);
        return state?.serverStatus?.state === 'ready' ? state : undefined;
      },
      LOAD_MS,
    );
  }

  /** One more window of this VS Code, on a folder of its own; it ends with the session. */
  async openWindow(folder: string): Promise<Session> {
    const { profile, server } = this;
    const probe = new Probe(profile, folder);
    const window = await BrowserWindow.open(server, { folder, extensions: this.extensions });
    const session = new Session(profile, probe, server, window, this.extensions);
    this.#others.push(window);
    await session.ready();
    return session;
  }

  async close(): Promise<void> {
    for (const window of this.#others) await window.close();
    await this.window.close();
    await this.server.stop();
    this.profile.remove();
  }
}
