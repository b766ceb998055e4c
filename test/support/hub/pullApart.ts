// Downloads the made-up model in a separate process, without this one's environment.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export function pullApart(endpoint: string, cache: string, env: Record<string, string> = {}): ChildProcess {
  const args = [join(__dirname, 'pullProcess.js'), endpoint, cache];
  return spawn(process.execPath, args, { env: { HF_HOME: cache, ...env }, stdio: 'ignore' });
}

export async function exitCode(child: ChildProcess): Promise<unknown> {
  const [code] = (await once(child, 'close')) as unknown[];
  return code;
}
