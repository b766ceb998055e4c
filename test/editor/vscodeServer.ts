// Runs the server of VS Code on loopback with a token. Its process group ends with it, and also when the process that
// started it dies, as the pipe to its guard closes then.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import type { Profile } from './profile';

const START_MS = 120_000;
const BROWSER_ARGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The browser contacts hosts of its maker by itself, which would hide the traffic of Flashline.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];
/** Shell script: a guard reads until the pipe closes, then ends the process group. The server replaces the shell. */
const GUARDED = `exec 3<&0
(trap '' TERM; cat <&3 >/dev/null; kill -TERM 0; sleep 3; kill -KILL 0) >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

export interface VscodeServerOptions {
  readonly profile: Profile;
  /** Whether VS Code asks for trust in the folder. */
  readonly askForTrust?: boolean;
  readonly environment?: NodeJS.ProcessEnv;
}

export class VscodeServer {
  readonly #child: ChildProcess;
  #browser: Promise<Browser> | undefined;
  #output = '';

  private constructor(
    child: ChildProcess,
    readonly profile: Profile,
    readonly token: string,
    /** Host and port. */
    public authority = '',
  ) {
    this.#child = child;
  }

  static async start({
    profile,
    askForTrust = false,
    environment = {},
  }: VscodeServerOptions): Promise<VscodeServer> {
    const token = randomBytes(16).toString('hex');
    const args = [
      ...commandFor(profile),
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      '--connection-token',
      token,
      '--telemetry-level',
      'off',
      ...(askForTrust ? [] : ['--disable-workspace-trust']),
    ];
    const child = spawn('sh', ['-c', GUARDED, 'sh', ...args], {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      // A separate language server for its windows; it ends when the folder is removed.
      env: { ...process.env, ...OFFLINE, XDG_RUNTIME_DIR: profile.root, ...environment },
    });
    const server = new VscodeServer(child, profile, token);
    try {
      server.authority = `127.0.0.1:${await server.#port()}`;
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Returns the browser of all windows; it ends with the server. */
  async browser(): Promise<Browser> {
    const executablePath = process.env['CHROMIUM'];
    if (executablePath === undefined) throw new Error('CHROMIUM is not set; run this through npm.');
    return await (this.#browser ??= chromium.launch({ executablePath, args: BROWSER_ARGS }));
  }

  /** Returns the address of a window on `folder`; `payload` has options of VS Code for it. */
  address(folder: string, payload: readonly (readonly [string, string])[]): string {
    const query = new URLSearchParams({ tkn: this.token, folder, payload: JSON.stringify(payload) });
    return `http://${this.authority}/?${query.toString()}`;
  }

  /** Returns the URI of a file of this machine in VS Code. */
  uri(path: string): string {
    return `vscode-remote://${this.authority}${path}`;
  }

  /** Ends the server and all its child processes: extension hosts and language servers. */
  async stop(): Promise<void> {
    await (await this.#browser?.catch(() => undefined))?.close();
    const { pid, exitCode, signalCode, stdin } = this.#child;
    if (exitCode === null && signalCode === null) {
      const exit = once(this.#child, 'exit');
      stdin?.end();
      await exit;
    }
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // The group has ended already.
    }
  }

  /** Waits for the port in the output of the server. */
  #port(): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = (reason: string): void => {
        reject(new Error(`VS Code's server ${reason}:\n${this.#output}`));
      };
      const timer = setTimeout(() => {
        fail(`did not start within ${START_MS / 1000} s`);
      }, START_MS);
      const read = (data: Buffer): void => {
        this.#output += data.toString();
        const port = /Extension host agent listening on (\d+)/.exec(this.#output)?.[1];
        if (port === undefined) return;
        clearTimeout(timer);
        resolve(port);
      };
      this.#child.stdout?.on('data', read);
      this.#child.stderr?.on('data', read);
      this.#child.once('exit', (code, signal) => {
        clearTimeout(timer);
        fail(`ended with ${signal ?? `exit code ${code}`}`);
      });
    });
  }
}

/** Installs an extension as a user does. */
export function installExtension(profile: Profile, vsix: string): void {
  const [node, ...args] = commandFor(profile);
  const { status, stdout, stderr } = spawnSync(node, [...args, '--install-extension', vsix], {
    encoding: 'utf8',
    env: { ...process.env, ...OFFLINE },
  });
  if (status !== 0) throw new Error(`Installing ${vsix} failed:\n${stdout}${stderr}`);
}

/** Links folders into the installed extensions of a VS Code that has not started yet. */
export function linkExtensions(profile: Profile, folders: readonly string[]): void {
  for (const folder of folders) symlinkSync(folder, join(profile.extensions, basename(folder)));
}

/** Environment of a VS Code without a marketplace. */
const OFFLINE = { EXTENSIONS_GALLERY: '{}' };

/** Returns the command that runs the server. Newer versions need a newer Node.js, which comes with them. */
function commandFor({ user, server, extensions }: Profile): readonly [string, ...string[]] {
  const program = process.env['FLASHLINE_VSCODE_SERVER']?.split(delimiter);
  const main = program?.pop();
  if (main === undefined) throw new Error('FLASHLINE_VSCODE_SERVER is not set; run this through npm.');
  const folders = ['--user-data-dir', user, '--server-data-dir', server, '--extensions-dir', extensions];
  return [program?.[0] ?? process.execPath, main, '--accept-server-license-terms', ...folders];
}
