// Client of the extension in probe/: reads the state of Flashline and of the active editor from the extension host.
import { existsSync, mkdirSync } from 'node:fs';
import { request } from 'node:http';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildSync } from 'esbuild';
import type { LocalRow } from '../../bench/localRow';
import type { StatusParams } from '../../server/protocol/messages';
import type { FlashlineApi } from '../../src/extension';
import type { ResourceUse } from '../nightly/longday/useNow';
import type { Profile } from './profile';

export type ProbeRequest =
  | { readonly kind: 'state' }
  | { readonly kind: 'command'; readonly command: string; readonly values: readonly unknown[] }
  | { readonly kind: 'setting'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'show'; readonly file: string; readonly offset: number }
  | { readonly kind: 'typingState' };

/** State of the active editor that typing needs: less than ProbeState, so faster. */
export interface TypingState {
  readonly text: string;
  readonly cursor: number;
  /** Whether the server is working on a request for suggestions. */
  readonly isRequesting: boolean;
  /** Whether the last key's request for suggestions has its complete answer. */
  readonly isAnswered: boolean;
  /** Selected entry of the IntelliSense list that this answer is for. */
  readonly selected: string | undefined;
  /** Suggestions of this answer; none without one. */
  readonly texts: readonly string[];
}

export interface ProbeState {
  readonly extensionPath: string;
  /** Process id of the extension host. */
  readonly hostProcessId: number;
  readonly connection: string;
  readonly serverProcessId: number | undefined;
  readonly serverStatus: StatusParams | undefined;
  readonly status: ReturnType<FlashlineApi['status']>;
  readonly rows: readonly LocalRow[];
  /** Resources of the extension host. */
  readonly use: ResourceUse;
  /** Text of the active editor, and offset of its cursor. */
  readonly text: string | undefined;
  readonly cursor: number | undefined;
}

const MANIFEST = {
  name: 'probe',
  publisher: 'flashline-tests',
  version: '0.0.1',
  engines: { vscode: '^1.104.0' },
  main: './extension.js',
  activationEvents: ['onStartupFinished'],
};

export class Probe {
  /** Folder of the probe extension. */
  readonly folder: string;
  /** Path of the sockets of all windows, without the name of the window's folder. */
  readonly #socketPrefix: string;

  /** Builds the extension, unless the profile has it; `opened` is the folder that the window has opened. */
  constructor(
    profile: Profile,
    private readonly opened = profile.folder,
  ) {
    this.folder = join(profile.root, 'probe');
    this.#socketPrefix = join(profile.root, 'p');
    if (existsSync(this.folder)) return;
    mkdirSync(this.folder);
    profile.write(join(this.folder, 'package.json'), JSON.stringify(MANIFEST));
    buildSync({
      entryPoints: ['test/editor/probe/extension.ts'],
      outfile: join(this.folder, 'extension.js'),
      bundle: true,
      external: ['vscode'],
      platform: 'node',
      format: 'cjs',
      logLevel: 'warning',
    });
  }

  /** Environment for the extension hosts. */
  get environment(): Readonly<Record<string, string>> {
    return { FLASHLINE_PROBE: this.#socketPrefix };
  }

  async state(): Promise<ProbeState> {
    return await this.#request({ kind: 'state' });
  }

  /** Runs a command of VS Code and returns the state after it. */
  async command(command: string, ...values: readonly unknown[]): Promise<ProbeState> {
    return await this.#request({ kind: 'command', command, values });
  }

  /** Changes a setting of the user; undefined removes it. */
  async setting(name: string, value: unknown): Promise<ProbeState> {
    return await this.#request({ kind: 'setting', name, value });
  }

  /** Shows a file in the first column, with the cursor at `offset`, ready for suggestions. */
  async show(file: string, offset: number): Promise<ProbeState> {
    return await this.#request({ kind: 'show', file, offset });
  }

  async typingState(): Promise<TypingState> {
    return await this.#request({ kind: 'typingState' });
  }

  #request<Result = ProbeState>(body: ProbeRequest): Promise<Result> {
    return new Promise((resolve, reject) => {
      const socketPath = `${this.#socketPrefix}-${basename(this.opened)}`;
      request({ socketPath, method: 'POST' }, (response) => {
        text(response).then((answer) => {
          if (response.statusCode === 200) resolve(JSON.parse(answer) as Result);
          else reject(new Error(answer));
        }, reject);
      })
        .on('error', reject)
        .end(JSON.stringify(body));
    });
  }
}
