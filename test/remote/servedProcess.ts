// Runs `flashline serve` with the built-in pair in another process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface ServedProcess {
  readonly url: string;
  /** Lines of its log about requests. */
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

/** Starts the server on a free port of this machine. */
export async function servedProcess(args: readonly string[] = [], key?: string): Promise<ServedProcess> {
  const child = spawn(process.execPath, ['dist/cli.js', 'serve', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(key !== undefined && { FLASHLINE_API_KEY: key }) },
  });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (/ (GET|POST) /.test(line)) lines.push(line);
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening on (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    const stop = async (): Promise<void> => {
      child.kill('SIGTERM');
      await ended;
    };
    return { url, lines, stop };
  }
  throw new Error('flashline serve ended before it listened.');
}
