// `flashline lsp` in its own process, which is what an editor starts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';
import { mediaPath } from '../../server/machine/folders';
import { ReplayClient } from './replayClient';

export interface Served {
  readonly client: ReplayClient;
  /** Ends the server, by force if it does not end on its own. */
  readonly end: () => Promise<void>;
}

const END_LIMIT_MS = 5000;

export function servedProcess(): Served {
  // In a separate process group, so that Ctrl+C ends the typing and not the server.
  const child = spawn(process.execPath, [mediaPath('../dist/cli.js'), 'lsp'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  child.stdin.on('error', () => undefined);
  const client = new ReplayClient(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const ended = once(child, 'exit').finally(() => {
    client.lost();
  });
  return {
    client,
    end: async () => {
      const kill = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS);
      await Promise.race([client.shutdown().catch(() => undefined), ended]);
      client.exit();
      await ended;
      clearTimeout(kill);
    },
  };
}
