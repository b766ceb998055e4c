// Runs the tests of a problem with an answer inserted. A model wrote the program, so it runs in a separate folder,
// without environment variables, and with limits of time, memory and files. That does not stop a malicious program.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Problem } from './problems';

const MAX_CPU_SECONDS = 10;
/** Limit of the elapsed time. CPU time does not include the time that Python waits. */
const MAX_MS = 20_000;
/** Python statements that set the limits: CPU time, 1 GB of memory, no output to files and no processes. */
const LIMITS = `import resource as _r
_r.setrlimit(_r.RLIMIT_CPU, (${String(MAX_CPU_SECONDS)}, ${String(MAX_CPU_SECONDS)}))
_r.setrlimit(_r.RLIMIT_AS, (1 << 30, 1 << 30))
_r.setrlimit(_r.RLIMIT_FSIZE, (0, 0))
_r.setrlimit(_r.RLIMIT_NPROC, (0, 0))
del _r
`;

/** Returns whether all tests pass with `answer` inserted. Rejects if there is no Python. */
export async function passes(problem: Problem, answer: string): Promise<boolean> {
  const { prompt, suffix, test, entry_point } = problem;
  const program = `${LIMITS}${prompt}${answer}${suffix}\n${test}\ncheck(${entry_point})\n`;
  const folder = await mkdtemp(join(tmpdir(), 'flashline-infill-'));
  try {
    // -I isolates Python from packages of the user and from files in the folder.
    const python = spawn('python3', ['-I', '-'], {
      cwd: folder,
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const timer = setTimeout(() => python.kill('SIGKILL'), MAX_MS);
    // Python can exit before it has read everything.
    python.stdin.on('error', () => undefined).end(program);
    await once(python, 'close');
    clearTimeout(timer);
    return python.exitCode === 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
