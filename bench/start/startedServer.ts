// `flashline lsp` started like from an editor, with a separate cache folder, and what it reports about its starts at
// its end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';
import { ReplayClient } from '../replay/replayClient';

/** Milliseconds since 1970, as are all times here. */
export interface Mark {
  readonly name: string;
  readonly at: number;
}

export interface ReportedMarks {
  /** When the process ran its first line of JavaScript. */
  readonly runsAt: number;
  /** What had just ended by then, in order. */
  readonly marks: readonly Mark[];
}

export interface ServerFiles {
  /** The built CLI. */
  readonly program: string;
  /** The built reportMarks.ts. */
  readonly reporter: string;
  readonly cache: string;
}

export interface StartedServer {
  readonly spawnedAt: number;
  readonly client: ReplayClient;
  readonly isRunning: () => boolean;
  /** Ends it as an editor does. */
  readonly end: () => Promise<ReportedMarks>;
  readonly kill: () => void;
}

export function now(): number {
  return performance.timeOrigin + performance.now();
}

export function startedServer({ program, reporter, cache }: ServerFiles): StartedServer {
  const spawnedAt = now();
  const child = spawn(process.execPath, ['--require', reporter, program, 'lsp'], {
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    env: { ...process.env, FLASHLINE_CACHE: cache },
  });
  const [stdin, stdout, , channel] = child.stdio;
  if (!stdin || !stdout) throw new Error('Expected pipes to the server');
  stdin.on('error', () => undefined);
  const client = new ReplayClient(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
  const report = text(channel as Readable);
  const ended = once(child, 'exit').finally(() => {
    client.lost();
  });
  return {
    spawnedAt,
    client,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    end: async () => {
      await client.shutdown();
      client.exit();
      await ended;
      return JSON.parse(await report) as ReportedMarks;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
