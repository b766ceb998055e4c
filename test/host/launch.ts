// A window of VS Code with a suite of tests, whatever the host.
import { join, resolve } from 'node:path';
import type { Settings } from '../editor/profile';

export interface Launch {
  /** The folder of the compiled tests, and the name of the folder that is opened: so mochaRun.ts knows which it is. */
  readonly suite: string;
  /** Restricted Mode: VS Code does not trust the folder. */
  readonly untrusted: boolean;
  readonly settings: Settings;
}

export interface Host {
  /** Opens a window; returns the exit code and what VS Code printed. Rejects if there is no exit code. */
  run(launch: Launch): Promise<{ readonly code: number; readonly said: string }>;
  end(): Promise<void>;
}

/** `environment` is for all extension hosts. */
export type StartHost = (environment: Readonly<Record<string, string>>) => Host;

export const TESTS = join(__dirname, 'mochaRun');

/** The extension under test: that of the repository, or an unpacked VSIX. */
export const EXTENSION = resolve(process.env['FLASHLINE_EXTENSION'] ?? '.');

/** Of a suite; a hang in VS Code must not become a hang of the tests. */
export const LIMIT_MS = 900_000;

/** What the extension host reports about its tests, one JSON line each. */
export type HostResult =
  | { readonly event: 'pass'; readonly title: string; readonly ms: number }
  | { readonly event: 'hook'; readonly title: string; readonly ms: number }
  | { readonly event: 'fail'; readonly title: string; readonly ms: number; readonly error: string }
  | { readonly event: 'end' };
