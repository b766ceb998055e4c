// Runs `flashline lsp` in a separate process, as editors do.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';
import { mediaPath } from '../../server/machine/folders';
import { ReplayClient } from './replayClient';

export interface Served {
  readonly client: ReplayClient;
  readonly isRunning: () => boolean;
  /** Ends the server like an editor, and kills it if it does not exit. */
  readonly end: () => Promise<void>;
}

const END_LIMIT_MS = 5000;

/** Starts a server with `flags` for Node.js and `env` added to the environment. */
export function servedProcess(flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Served {
  // Use a separate process group, so that Ctrl+C ends the typing and not the server.
  const child = spawn(process.execPath, [...flags, mediaPath('../dist/cli.js'), 'lsp'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
    env: { ...process.env, ...env },
  });
  child.stdin.on('error', () => undefined);
  const client = new ReplayClient(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const ended = once(child, 'exit').finally(() => {
    client.lost();
  });
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    client,
    isRunning,
    end: async () => {
      const kill = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS);
      await Promise.race([client.shutdown().catch(() => undefined), ended]);
      if (isRunning()) client.exit();
      await ended;
      clearTimeout(kill);
    },
  };
}
