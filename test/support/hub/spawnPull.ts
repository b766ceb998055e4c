// Starts a separate process that downloads the made-up model. It does not inherit the environment of this process.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** `env` is the whole environment, except for HF_HOME, which is `cache` by default. */
export function spawnPull(endpoint: string, cache: string, env: Record<string, string> = {}): ChildProcess {
  const args = [join(__dirname, 'pullProcess.js'), endpoint, cache];
  return spawn(process.execPath, args, { env: { HF_HOME: cache, ...env }, stdio: 'ignore' });
}

export async function exitCode(child: ChildProcess): Promise<unknown> {
  const [code] = (await once(child, 'close')) as unknown[];
  return code;
}
