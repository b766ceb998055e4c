// The server of a real VS Code, on loopback, behind a token. It runs in a process group of its own that ends with it,
// and also when whoever started it dies, because then the pipe to its guard closes.
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
  // The browser looks for its maker's hosts by itself, which would hide what Flashline does.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];
/** Reads until the pipe closes, then ends the group, by force if it must. The server itself takes sh's place. */
const GUARDED = `exec 3<&0
(trap '' TERM; cat <&3 >/dev/null; kill -TERM 0; sleep 3; kill -KILL 0) >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

export interface VscodeServerOptions {
  readonly profile: Profile;
  /** The newest VS Code, in place of the least version that the extension runs in. */
  readonly isNewest?: boolean;
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
    isNewest = false,
    askForTrust = false,
    environment = {},
  }: VscodeServerOptions): Promise<VscodeServer> {
    const token = randomBytes(16).toString('hex');
    const words = [
      ...commandFor(profile, isNewest),
      ...['--host', '127.0.0.1', '--port', '0', '--connection-token', token, '--telemetry-level', 'off'],
      ...(askForTrust ? [] : ['--disable-workspace-trust']),
    ];
    const child = spawn('sh', ['-c', GUARDED, 'sh', ...words], {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      // Its own language server, which its windows share; it ends when the folder is gone.
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

  /** The one of all windows; it ends with the server. */
  async browser(): Promise<Browser> {
    const executablePath = process.env['CHROMIUM'];
    if (executablePath === undefined) throw new Error('CHROMIUM is not set; run this through npm.');
    return await (this.#browser ??= chromium.launch({ executablePath, args: BROWSER_ARGS }));
  }

  /** Address of a window on `folder`; `payload` are VS Code's own options for it. */
  address(folder: string, payload: readonly (readonly [string, string])[]): string {
    const query = new URLSearchParams({ tkn: this.token, folder, payload: JSON.stringify(payload) });
    return `http://${this.authority}/?${query.toString()}`;
  }

  /** How VS Code names a file of this machine. */
  uri(path: string): string {
    return `vscode-remote://${this.authority}${path}`;
  }

  /** Ends the server and whatever it started: extension hosts and language servers. */
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
      // The group is gone already.
    }
  }

  #port(): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        reject(new Error(`VS Code's server ${why}:\n${this.#output}`));
      };
      const late = setTimeout(() => {
        fail(`did not start within ${START_MS / 1000} s`);
      }, START_MS);
      const read = (data: Buffer): void => {
        this.#output += data.toString();
        const port = /Extension host agent listening on (\d+)/.exec(this.#output)?.[1];
        if (port === undefined) return;
        clearTimeout(late);
        resolve(port);
      };
      this.#child.stdout?.on('data', read);
      this.#child.stderr?.on('data', read);
      this.#child.once('exit', (code, signal) => {
        clearTimeout(late);
        fail(`ended with ${signal ?? `exit code ${code}`}`);
      });
    });
  }
}

/** Installs an extension the way a user does. */
export function installExtension(profile: Profile, vsix: string): void {
  const [node, ...words] = commandFor(profile);
  const { status, stdout, stderr } = spawnSync(node, [...words, '--install-extension', vsix], {
    encoding: 'utf8',
    env: { ...process.env, ...OFFLINE },
  });
  if (status !== 0) throw new Error(`Installing ${vsix} failed:\n${stdout}${stderr}`);
}

/** For a VS Code that has not been started yet: it finds the folders among the installed extensions. */
export function linkExtensions(profile: Profile, folders: readonly string[]): void {
  for (const folder of folders) symlinkSync(folder, join(profile.extensions, basename(folder)));
}

/** No marketplace. */
const OFFLINE = { EXTENSIONS_GALLERY: '{}' };

/** Newer versions bring a Node.js of their own, as they need it newer too. */
function commandFor({ user, server, extensions }: Profile, isNewest = false): readonly [string, ...string[]] {
  const variable = isNewest ? 'FLASHLINE_VSCODE_NEWEST' : 'FLASHLINE_VSCODE_SERVER';
  const program = process.env[variable]?.split(delimiter);
  const main = program?.pop();
  if (main === undefined) throw new Error(`${variable} is not set; run this through npm.`);
  const folders = ['--user-data-dir', user, '--server-data-dir', server, '--extensions-dir', extensions];
  return [program?.[0] ?? process.execPath, main, '--accept-server-license-terms', ...folders];
}
