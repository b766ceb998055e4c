// Types and paths that all hosts share. A host is a VS Code that runs each suite in a window.
import { join, resolve } from 'node:path';
import type { Settings } from '../editor/profile';

export interface Launch {
  /** Name of the compiled suite's folder, and of the folder to open, from which mochaRun.ts recognizes the suite. */
  readonly suite: string;
  /** Whether VS Code distrusts the folder (Restricted Mode). */
  readonly untrusted: boolean;
  readonly settings: Settings;
}

export interface Host {
  /** Opens a window; returns the exit code and the output of VS Code. Rejects if there is no exit code. */
  run(launch: Launch): Promise<{ readonly code: number; readonly output: string }>;
  /** Ends VS Code. */
  end(): Promise<void>;
}

/** Starts a host. `environment` applies to all its extension hosts. */
export type StartHost = (environment: Readonly<Record<string, string>>) => Host;

/** Module whose run() VS Code calls. */
export const TESTS = join(__dirname, 'mochaRun');

/** Extension under test: that of the repository, or an unpacked VSIX. */
export const EXTENSION = resolve(process.env['FLASHLINE_EXTENSION'] ?? '.');

/** Time limit of a suite, as VS Code can hang. */
export const LIMIT_MS = 900_000;

/** Results of the tests that the extension host reports, one JSON line each. */
export type HostResult =
  | { readonly event: 'pass'; readonly title: string; readonly ms: number }
  | { readonly event: 'hook'; readonly title: string; readonly ms: number }
  | { readonly event: 'fail'; readonly title: string; readonly ms: number; readonly error: string }
  | { readonly event: 'end' };
