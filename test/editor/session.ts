// A VS Code window with Flashline and its loaded model, for tests outside VS Code.
import { Probe, type ProbeState } from './probe';
import { BrowserWindow } from './browserWindow';
import { Profile, type ProfileOptions } from './profile';
import { isAlive } from '../../server/machine/isAlive';
import { until } from './waiting';
import { installExtension, linkExtensions, VscodeServer } from './vscodeServer';
import { Workbench } from './workbench';

/** Time limit for starting VS Code and loading the model on a busy machine. */
const LOAD_MS = 300_000;

export interface SessionOptions extends ProfileOptions {
  /** Running VS Code in which to open a window; by default the session starts and ends another one. */
  readonly server?: VscodeServer;
  /** Package to install instead of running the extension from this folder. */
  readonly vsix?: string;
  /** Folder of the extension, if it is not this one. */
  readonly extension?: string;
  /** Whether the extension of this folder counts as installed: only then VS Code restarts an extension host. */
  readonly isInstalled?: boolean;
  /** Environment of a VS Code that the session starts, and of its child processes. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Condition to wait for; the model by default. */
  readonly waitFor?: 'server' | 'model';
}

/** Sessions that tests have not closed. */
export const openSessions = new Set<Session>();

export class Session {
  readonly workbench: Workbench;
  readonly #furtherWindows: BrowserWindow[] = [];

  private constructor(
    readonly profile: Profile,
    readonly probe: Probe,
    readonly server: VscodeServer,
    readonly window: BrowserWindow,
    private readonly extensions: readonly string[],
    /** Whether VS Code runs on after the session. */
    private readonly isGuest: boolean,
  ) {
    this.workbench = new Workbench(window.page);
  }

  static async open({
    vsix,
    extension = process.cwd(),
    isInstalled = false,
    environment,
    waitFor,
    server: host,
    ...options
  }: SessionOptions): Promise<Session> {
    const profile = new Profile(options, host?.profile);
    let server = host;
    let window: BrowserWindow | undefined;
    try {
      if (vsix !== undefined) installExtension(profile, vsix);
      const probe = new Probe(profile);
      const folders = [...(vsix === undefined ? [extension] : []), probe.folder];
      if (isInstalled) linkExtensions(profile, folders);
      const extensions = isInstalled ? [] : folders;
      server ??= await VscodeServer.start({ profile, environment: { ...environment, ...probe.environment } });
      window = await BrowserWindow.open(server, { folder: profile.folder, extensions });
      const session = new Session(profile, probe, server, window, extensions, host !== undefined);
      await (waitFor === 'server' ? session.connected() : session.ready());
      openSessions.add(session);
      return session;
    } catch (error) {
      await window?.close();
      if (!host) await server?.stop();
      profile.remove();
      throw error;
    }
  }

  /** Waits until the server has sent a status. */
  async connected(): Promise<ProbeState> {
    return await this.#until('Flashline is connected', ({ serverStatus }) => serverStatus !== undefined);
  }

  /** Waits until the model is loaded. */
  async ready(): Promise<ProbeState> {
    return await this.#until('Flashline is ready', ({ serverStatus }) => serverStatus?.state === 'ready');
  }

  async #until(condition: string, holds: (state: ProbeState) => boolean): Promise<ProbeState> {
    const read = async (): Promise<ProbeState | false | undefined> => {
      const state = await this.probe.state().catch(() => undefined);
      return state && holds(state) && state;
    };
    return await until(condition, read, LOAD_MS);
  }

  /** Consents to the remote engine of the settings, and waits until it is used. */
  async allowRemote(): Promise<void> {
    await this.workbench.dialogButton('Allow').click();
    await until('the remote engine is used', async () => {
      const { serverStatus } = await this.probe.state();
      return serverStatus?.state === 'ready' && serverStatus.model?.remote;
    });
  }

  /** Opens another window of this VS Code with its own folder; it ends with the session. */
  async openWindow(folder: string): Promise<Session> {
    const { profile, server } = this;
    const probe = new Probe(profile, folder);
    const window = await BrowserWindow.open(server, { folder, extensions: this.extensions });
    const session = new Session(profile, probe, server, window, this.extensions, true);
    this.#furtherWindows.push(window);
    await session.ready();
    return session;
  }

  /**
   * Closes the windows, ends a VS Code that the session has started, and removes the folder. Throws if the server has
   * refused a message of the extension as invalid.
   */
  async close(): Promise<void> {
    openSessions.delete(this);
    const state = await this.probe.state().catch(() => undefined);
    const refusedCount = state?.serverStatus?.wrongMessages ?? 0;
    for (const window of this.#furtherWindows) await window.close();
    if (this.isGuest) await this.#leave();
    else {
      await this.window.close();
      await this.server.stop();
    }
    this.profile.remove();
    if (refusedCount > 0)
      throw new Error(`The server refused ${refusedCount} messages of the extension; its log names them.`);
  }

  /** Closes the window and waits until its extension host has ended, so that the next window starts alone. */
  async #leave(): Promise<void> {
    const { hostProcessId } = await this.probe.state();
    await this.window.leave();
    await until('the extension host of the window has ended', () => !isAlive(hostProcessId), LOAD_MS);
  }
}
