// One start of VS Code with a suite of tests, whatever the host.
import { join } from 'node:path';
import type { Settings } from '../editor/profile';

export interface Launch {
  /** Restricted Mode: VS Code does not trust the folder. */
  readonly untrusted: boolean;
  readonly settings: Settings;
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs it and gives the exit code, and what VS Code said meanwhile. Rejects when there is none. */
export type Host = (launch: Launch) => Promise<{ readonly code: number; readonly said: string }>;

export const TESTS = join(__dirname, 'mochaRun');

/** Of the whole start; a hang in VS Code must not become a hang of the tests. */
export const LIMIT_MS = 300_000;
